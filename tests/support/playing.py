"""A session played from a plan: a model whose replies, hooks and interruptions a property test chooses."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field

from mistralai import agents
from mistralai.agents.authoring.model import ModelToolCall, ToolCallBlock
from mistralai.agents.testing import tokens

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

ENOUGH = tokens(5, 5)
LARGE = tokens(100_000, 5)


@dataclass(frozen=True)
class Made:
    """A call of a reply, as the model writes it."""

    name: str
    arguments: str
    id: str


@dataclass(frozen=True)
class Move:
    """One reply of the model and what goes on around it."""

    text: str = ""
    calls: tuple[Made, ...] = ()
    finish: str = "stop"
    large: bool = False
    """Whether it says that the context has passed the threshold."""
    refused: bool = False
    """Whether the provider refuses the call as too large instead."""
    broken: bool = False
    """Whether the stream breaks off."""
    steer: str | None = None
    """What the user says in the middle of it."""
    interrupt: bool = False
    """Whether the user stops it in the middle."""
    verdict: Any = None
    """What the hook after it decides."""


@dataclass(frozen=True)
class Turn:
    """A message and the replies to it; after the last one the model says "Done."."""

    message: str
    moves: tuple[Move, ...] = ()
    skipped: bool = False


@dataclass
class Player:
    """A model object that plays moves, and shows each request to `watch` before it answers."""

    watch: Callable[[agents.ModelRequest], None]
    moves: list[Move] = field(default_factory=list[Move])
    now: Move = field(default_factory=Move)
    turn: agents.Turn | None = None
    summaries: int = 0
    _stopping: list[asyncio.Future[Any]] = field(default_factory=list[asyncio.Future[Any]])

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
        self.watch(request)
        last = request.messages[-1]
        if isinstance(last, agents.UserMessage) and last.context == "compaction":
            self.summaries += 1
            yield agents.TextChunk(f"<summary>Summary {self.summaries}.</summary>")
            yield agents.ReplyFinished(reason="stop", usage=ENOUGH)
            return
        self.now = move = self.moves.pop(0) if self.moves else Move(text="Done.")
        if move.refused:
            raise agents.ModelError("too large", code="completion_context_too_large")
        if move.text:
            yield agents.TextChunk(move.text)
        assert self.turn is not None
        if move.steer is not None:
            await self.turn.steer(move.steer)
        if move.interrupt:
            self._stopping.append(asyncio.ensure_future(self.turn.interrupt()))
            await asyncio.Event().wait()
        if move.broken:
            return
        for made in move.calls:
            yield ToolCallBlock(call=ModelToolCall(id=made.id, name=made.name, arguments=made.arguments))
        yield agents.ReplyFinished(reason=move.finish, usage=LARGE if move.large else ENOUGH)

    async def settled(self) -> None:
        """Wait for the interruptions it began."""
        await asyncio.gather(*self._stopping)


class Judge(agents.Hook):
    """Decides on each reply as its move says, and refuses the messages it is told to."""

    player: Any = Field(exclude=True)
    skips: list[bool] = Field(exclude=True)

    async def pre_agent_turn(
        self, ctx: agents.hook.HookContext, request: agents.hook.AgentTurnRequest
    ) -> agents.hook.Skip | None:
        return agents.skip("No.") if self.skips.pop(0) else None

    async def post_llm_call(self, ctx: agents.hook.HookContext, invocation: agents.hook.PostLLMCallInvocation) -> Any:
        return self.player.now.verdict


@agents.tool
def works(value: Any = None) -> Any:
    """Work."""
    return value


@agents.tool
async def fails(value: str = "") -> None:
    """Fail."""
    raise agents.ToolError(value or "It failed.")


@agents.tool
def denied() -> None:
    """Be denied."""


POLICY = agents.PermissionPolicy(
    default="allow", rules=[agents.PermissionRule(tools=["client.denied"], decision="deny")]
)


async def play(
    turns: tuple[Turn, ...], watch: Callable[[agents.ModelRequest], None], history: list[dict[str, Any]] | None = None
) -> agents.Session:
    """Play turns in one session, then a last one that just says "Done."."""
    player = Player(watch)
    agent = agents.Agent(
        model=player,
        instructions="Be brief.",
        tools=[works, fails, denied],
        hooks=[Judge(player=player, skips=[*(turn.skipped for turn in turns), False])],
        permission_policy=POLICY,
        auto_compact_threshold=50_000,
        limits=agents.UsageLimits(model_calls=6),
    )
    session = await agent.start_session(history=history)
    for turn in (*turns, Turn("Is all well?")):
        player.moves = list(turn.moves)
        started = await session.start_turn(turn.message)
        assert isinstance(started, agents.Turn)
        player.turn = started
        await started.result(timeout=30)
        await player.settled()
    return session
