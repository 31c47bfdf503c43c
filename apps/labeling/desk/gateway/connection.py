"""One connection to Argilla's API, and what its failures mean.

Of Argilla's client only the connection is used. Its objects read guidelines that name a file from
that file, log the secrets of webhooks, lose when a response was given, and refuse questions named
`count` or like a field.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from apps.labeling.desk.protocol import DeskDown, DeskRefused

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 5.0  # and until it has said who we are
ANSWER_SECONDS = 30.0
LONGEST = 300
PASSES = (408, 425, 429)  # and all from 500 on: the same may be answered later
WRONG_KEY = (
    "Argilla at {place} does not accept our key: with a server of your own, "
    "EVALHUB_ARGILLA_API_KEY is that of an owner."
)


class Conflict(DeskRefused):
    """It is there already."""


class Missing(DeskRefused):
    """It is not there, or no longer."""


class Connection:
    def __init__(self, client: httpx.Client, place: str) -> None:
        self._client = client
        self._place = place

    @classmethod
    def open(cls, url: str, key: str, *, proved_by: str = "") -> Connection:
        """Asks who we are: DeskRefused where the key is wrong.

        Where our own server is meant, `proved_by` is the key by which it proves to be that.
        """
        import argilla
        import httpx

        from .proving import OwnServerOnly

        for each in ("httpx", "argilla.sdk"):  # every call is a line there
            logging.getLogger(each).setLevel(logging.WARNING)
        place = urlsplit(url).netloc.rpartition("@")[2]
        by = {"mounts": {"http://": OwnServerOnly(proved_by)}} if proved_by else {}
        with _translated(place):
            client = argilla.Argilla(
                api_url=url, api_key=key, timeout=CONNECT_SECONDS, retries=0, **by
            )
        client.http_client.timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        return cls(client.http_client, place)

    def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        params: Mapping[str, str | int] | None = None,
        within: float | None = None,
    ) -> Any:
        """The JSON of the answer, `within` so many seconds where that is shorter than usual."""
        timeout = self._client.timeout if within is None else within
        with _translated(self._place):
            answer = self._client.request(
                method, f"/api/v1/{path}", json=body, params=params, timeout=timeout
            )
            answer.raise_for_status()
            return answer.json() if answer.content else None


@contextmanager
def _translated(place: str) -> Iterator[None]:
    """What goes wrong between the two of us, as what may be done about it."""
    import httpx
    from argilla._exceptions import ArgillaAPIError, ArgillaCredentialsError

    try:
        yield
    except httpx.TimeoutException:
        raise DeskDown(f"Argilla at {place} does not answer in time.") from None
    except httpx.TransportError as error:
        raise DeskDown(f"Argilla at {place} cannot be reached: {clipped(str(error))}") from None
    except httpx.HTTPStatusError as error:
        raise _failure(place, error.response.status_code, error.response) from None
    except ArgillaCredentialsError:
        raise DeskRefused(WRONG_KEY.format(place=place)) from None
    except ArgillaAPIError as error:
        raise _failure(place, error.status_code) from None
    except (TypeError, ValueError):  # no JSON, or not what Argilla's client expects
        raise DeskDown(f"What answers at {place} is not Argilla.") from None


def _failure(place: str, status: int, answer: httpx.Response | None = None) -> Exception:
    said = _said(answer)
    if status in PASSES or status >= 500:
        return DeskDown(f"Argilla at {place} fails ({status}). {said}".strip())
    if status == 401:
        return DeskRefused(WRONG_KEY.format(place=place))
    kinds: dict[int, type[DeskRefused]] = {404: Missing, 409: Conflict}
    kind = kinds.get(status, DeskRefused)
    return kind(f"Argilla at {place} refuses ({status}). {said}".strip())


def _said(answer: httpx.Response | None) -> str:
    """The server's own words, never what it repeats of ours: that may be a password."""
    try:
        body = answer.json() if answer is not None else None
    except ValueError:
        return ""
    return clipped("; ".join(_sentences(body)))


def _sentences(body: object) -> Iterator[str]:
    if isinstance(body, list):
        for each in body:
            yield from _sentences(each)
    elif isinstance(body, dict):
        for key in ("loc", "msg", "message", "detail", "params", "errors"):
            value = body.get(key)
            if key == "loc" and isinstance(value, list):
                yield ".".join(map(str, value))
            elif isinstance(value, str):
                yield value
            else:
                yield from _sentences(value)


def clipped(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
