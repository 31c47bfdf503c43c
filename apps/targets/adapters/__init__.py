"""One adapter per kind of target: from an Ask to a Reply."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from apps.targets.contracts import Adapter, Ask, Reply
from apps.targets.credentials import SecretMissingError
from apps.targets.specs import HttpJsonSpec, OpenAIChatSpec, RecordedSpec, ScriptedSpec, TargetSpec

from .answers_file import AnswersError, AnswersFile, read_answers, read_answers_file
from .recorded import RecordedAdapter
from .scripted import ScriptedAdapter

__all__ = [
    "Adapter",
    "AnswersError",
    "AnswersFile",
    "open_adapter",
    "read_answers",
    "read_answers_file",
]


@asynccontextmanager
async def open_adapter(
    spec: TargetSpec,
    *,
    answers: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Adapter]:
    """The adapter of a spec, with its connections; open it in the process that asks.

    A secret that is not set here does not raise: each call is answered `unauthorized`.
    """
    if isinstance(spec, RecordedSpec):
        yield RecordedAdapter(spec, answers or {})
    elif isinstance(spec, ScriptedSpec):
        yield ScriptedAdapter(spec)
    else:
        async with _over_http(spec, os.environ if environ is None else environ) as adapter:
            yield adapter


@asynccontextmanager
async def _over_http(
    spec: OpenAIChatSpec | HttpJsonSpec, environ: Mapping[str, str]
) -> AsyncIterator[Adapter]:
    # aiohttp takes a third of a second to import, and only calls need it
    from apps.targets.client import open_client

    from .http_json import HttpJsonAdapter
    from .openai_chat import OpenAIChatAdapter

    async with open_client(spec.concurrency, spec.timeout_s) as client:
        try:
            if isinstance(spec, OpenAIChatSpec):
                adapter: Adapter = OpenAIChatAdapter(spec, client, environ)
            else:
                adapter = HttpJsonAdapter(spec, client, environ)
        except SecretMissingError as error:
            adapter = LockedAdapter(str(error))
        yield adapter


class LockedAdapter:
    """Stands in for an adapter whose secret is not there: it asks nobody."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    async def ask(self, ask: Ask) -> Reply:
        return Reply(error_code="unauthorized", detail=self._reason)
