"""The guard that keeps a test from calling a real model: only servers on this machine are let through."""

from __future__ import annotations

import ipaddress
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mistralai.agents.models.outgoing import OUTGOING_CHECKS

if TYPE_CHECKING:
    from collections.abc import Generator

    from mistralai.agents.models.endpoint import Endpoint


@contextmanager
def refuse_real_model_calls() -> Generator[None]:
    """Fail every model call that would leave this machine. The pytest plugin does this around each test."""
    OUTGOING_CHECKS.append(_refuse)
    try:
        yield
    finally:
        OUTGOING_CHECKS.remove(_refuse)


@contextmanager
def allow_real_model_calls() -> Generator[None]:
    """Let the calls through again, for a test that is meant to ask a real model."""
    checks, OUTGOING_CHECKS[:] = list(OUTGOING_CHECKS), []
    try:
        yield
    finally:
        OUTGOING_CHECKS[:] = checks


def _refuse(endpoint: Endpoint) -> None:
    if _is_loopback(endpoint.host):
        return
    from mistralai.agents.testing.script_error import RealModelCallError

    raise RealModelCallError(
        f"This test would call the model of {endpoint.provider} at {endpoint.host}. Give the agent a model with "
        "agent.override(model=ScriptedModel([...])), or mark the test with real_model_calls."
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
