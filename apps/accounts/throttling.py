"""How often one may call the API; no import of DRF's views, whose settings name this module."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle

from apps.contract import Contract

from .models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView

MINUTE = 60


class RateLimit(Contract):
    """What is left of this minute."""

    limit: int
    remaining: int
    reset_at: datetime
    bucket: str

    @property
    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(int(self.reset_at.timestamp())),
        }


class PerMinuteThrottle(BaseThrottle):
    """So many requests a minute for each token, or for each person without one.

    The count lives in the cache: with a cache of its own each web process counts alone.
    """

    def allow_request(self, request: Request, view: "APIView") -> bool:
        now = int(time.time())
        reset = now - now % MINUTE + MINUTE
        bucket, who = _bucket(request)
        used = _count(f"rate:{bucket}:{who}:{reset}")
        limit = _limit()
        self.rate = RateLimit(
            limit=limit,
            remaining=max(0, limit - used),
            reset_at=datetime.fromtimestamp(reset, UTC),
            bucket=bucket,
        )
        request.rate_limit = self.rate  # type: ignore[attr-defined]
        return used <= limit

    def wait(self) -> float:
        return max(1.0, self.rate.reset_at.timestamp() - time.time())


def _bucket(request: Request) -> tuple[str, str]:
    if isinstance(request.auth, ApiToken):
        return "api_key_per_minute", str(request.auth.pk)
    return "user_per_minute", str(request.user.pk)


def _count(key: str) -> int:
    cache.add(key, 0, timeout=2 * MINUTE)
    return cache.incr(key)


def _limit() -> int:
    rate = str(api_settings.DEFAULT_THROTTLE_RATES["user"])  # "600/min"
    return int(rate.split("/")[0])
