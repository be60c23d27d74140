"""Notices: what the runtime has to say of a session as a whole. Public pages: Events; Connectors."""

from __future__ import annotations

from typing import Any

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, reply
from tests.sessions.reading import completed, sent


async def with_connector(*steps: Any) -> tuple[ScriptedModel, agents.Session]:
    model = ScriptedModel(steps)
    agent = agents.Agent(model=model, instructions="Be kind.", connectors=[agents.connector("nowhere")])
    return model, await agent.start_session()


class TestAConnectorThatIsNotToBeHad:
    """It never fails the session: it starts without it, the model is told, and a Notice says why."""

    async def test_lets_the_session_work(self) -> None:
        _, session = await with_connector(reply("Hi."))
        assert completed(await session.run("Hello")).text == "Hi."

    async def test_is_told_in_a_notice_of_the_session(self) -> None:
        _, session = await with_connector()
        await session.cancel()
        (notice,) = [event async for event in session.iter_events() if isinstance(event, agents.Notice)]
        assert (notice.level, notice.turn_id) == ("warning", None)
        assert notice.details["status"] in {"unsupported", "unavailable"}
        assert "nowhere" in notice.message

    async def test_is_told_to_the_model_beside_its_instructions_and_never_as_a_message(self) -> None:
        """A note of the runtime as the last user message would be taken for the user's words."""
        model, session = await with_connector(reply("Hi."), reply("Again."))
        await session.run("Hello")
        await session.run("And again")
        assert sent(model) == ["user: Hello", "assistant: Hi.", "user: And again"]
        assert model.requests[0].instructions.startswith("Be kind.")
        assert "nowhere" in model.requests[0].instructions
        assert model.requests[0].instructions == model.requests[1].instructions

    async def test_is_no_entry_of_the_history(self) -> None:
        _, session = await with_connector()
        assert await session.history() == ()
