"""Asking one thing of one spec, as tests do it."""

import asyncio
import socket
from collections.abc import Mapping
from typing import Any

from apps.targets.adapters import open_adapter
from apps.targets.contracts import Ask, Message, Reply
from apps.targets.specs import TargetSpec, parse_spec


def spec(kind: str, **settings: Any) -> TargetSpec:
    return parse_spec({"kind": kind, **settings})


def question(prompt: str, **settings: Any) -> Ask:
    message = Message(role="user", content=prompt)
    return Ask(**{"record_id": "q_1", "messages": (message,), **settings})


def reply_to(
    target: TargetSpec,
    ask: Ask,
    *,
    environ: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
) -> Reply:
    async def once() -> Reply:
        async with open_adapter(target, environ=environ or {}, answers=answers) as adapter:
            return await adapter.ask(ask)

    return asyncio.run(once())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
