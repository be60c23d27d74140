"""Where an agent's files and processes live, as its definition names it. What runs there is on a higher floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.values.errors import UnsupportedAgentFeatureError
from mistralai.agents.values.record import record


class Environment:
    """Base of everything `environment=` takes."""

    __slots__ = ()


@record
class NoSandbox(Environment):
    """No files and no processes: the agent has its tools only. Public page: Environments."""


class MistralSandbox(Environment):
    """The vendor's cloud sandbox, which this implementation does not have: making one raises."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, **options: Any) -> None: ...

    else:

        def __new__(cls, *args: Any, **options: Any) -> MistralSandbox:
            raise UnsupportedAgentFeatureError(
                "MistralSandbox runs in the vendor's cloud, which is not available here. "
                "Leave environment= out to run without a sandbox."
            )
