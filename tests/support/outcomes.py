"""Reading a record as the one that a test expects."""

from __future__ import annotations

from typing import Any, cast

from mistralai import agents


def completed(state: object) -> agents.Completed[Any]:
    """The record of a turn that must have completed."""
    assert isinstance(state, agents.Completed), state
    return cast("agents.Completed[Any]", state)


def failed(state: object) -> agents.ProtocolError:
    """The error of a turn that must have failed."""
    assert isinstance(state, agents.Failed), state
    return state.error


def blocked(state: object) -> agents.Blocked:
    """The record of a turn that must wait for an answer."""
    assert isinstance(state, agents.Blocked), state
    return state


def interrupted(state: object) -> agents.Interrupted:
    """The record of a turn that must have been stopped."""
    assert isinstance(state, agents.Interrupted), state
    return state
