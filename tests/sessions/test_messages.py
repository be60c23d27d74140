"""What a turn takes as its input, and what the model is sent of it. Public page: Session and Turn."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed, sent

if TYPE_CHECKING:
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def asked(content: Any) -> list[dict[str, Any]] | str:
    """Send a message and return its content as the model was sent it."""
    model = ScriptedModel([reply("Seen.")])
    session = await agents.Agent(model=model).start_session()
    completed(await session.run(content))
    message = model.requests[0].messages[0]
    assert isinstance(message, agents.UserMessage)
    return message.content


class TestAMessage:
    """A text, or blocks of text and images, as objects or as dicts."""

    @pytest.mark.parametrize(
        "text", ["Hello", "  spaces  \n", "{not: json}", "\u202e \U0001f600 ü", "a" * 100_000, "\x00"]
    )
    async def test_of_text_reaches_the_model_verbatim(self, text: str) -> None:
        assert await asked(text) == text

    async def test_of_blocks_reaches_it_block_by_block(self) -> None:
        content = await asked(
            [agents.TextContentBlock(text="Look:"), agents.ImageContentBlock(uri="https://x.test/a.png", alt_text="a")]
        )
        assert isinstance(content, list)
        assert [(block["type"], block.get("text"), block.get("uri")) for block in content] == [
            ("text", "Look:", None),
            ("image", None, "https://x.test/a.png"),
        ]

    async def test_of_dicts_is_the_same_in_either_spelling(self) -> None:
        snake = await asked([{"type": "image", "uri": "https://x.test/a.png", "media_type": "image/png"}])
        camel = await asked([{"type": "image", "uri": "https://x.test/a.png", "mediaType": "image/png"}])
        assert snake == camel

    async def test_may_hold_an_image_from_bytes_or_from_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "dot.png"
        path.write_bytes(PNG)
        from_bytes = await asked([agents.ImageContentBlock.from_bytes(PNG)])
        assert from_bytes == await asked([agents.ImageContentBlock.from_path(path)])
        assert isinstance(from_bytes, list)
        assert from_bytes[0]["media_type"] == "image/png"

    async def test_shows_in_the_history_as_it_was_sent(self) -> None:
        blocks: list[agents.TextContentBlock | agents.ImageContentBlock] = [
            agents.TextContentBlock(text="Look:"),
            agents.ImageContentBlock(uri="https://x.test/a.png"),
        ]
        session = await agents.Agent(model=ScriptedModel([reply("Seen.")])).start_session()
        await session.run(blocks)
        entry, _ = await session.history()
        assert isinstance(entry, agents.MessageEntry)
        assert (entry.content, entry.text) == (tuple(blocks), "Look:")

    @pytest.mark.parametrize(
        "block",
        [
            {"type": "hologram", "text": "x"},
            {"type": "audio", "uri": "https://x.test/a.mp3"},
            {"type": "resource_link", "uri": "https://x.test/a"},
            {"type": "image"},
            {"text": "no type"},
            17,
            "text",
        ],
    )
    async def test_with_a_block_that_a_turn_cannot_hold_is_refused_by_its_index(self, block: Any) -> None:
        session = await agents.Agent(model=ScriptedModel([])).start_session()
        with pytest.raises(agents.SdkError, match=r"content\[1\]"):
            await session.run([agents.TextContentBlock(text="Look:"), block])
        assert await session.history() == ()

    async def test_cannot_hold_an_unknown_block(self) -> None:
        session = await agents.Agent(model=ScriptedModel([])).start_session()
        unknown: Any = agents.UnknownContentBlock(original_type="hologram")
        with pytest.raises(agents.SdkError, match="hologram"):
            await session.run([unknown])


class TestWhatTheModelIsSent:
    """The history as it was, extended and never rewritten, so that the provider's cache of its prefix holds."""

    async def test_begins_with_what_it_was_sent_before(self) -> None:
        """Regression, claude-code#27786: random ids or dates in the prompt broke the provider's cache."""

        @agents.tool
        def look_up(alert: str = "1") -> dict[str, Any]:
            """Read an alert."""
            return {"alert": alert, "amount": 9800}

        model = ScriptedModel([call("look_up"), reply("One."), call("look_up", {"alert": "2"}), reply("Two.")])
        session = await agents.Agent(model=model, tools=[look_up], instructions="Be brief.").start_session()
        await session.run("First?")
        await session.run("Second?")
        for before, after in zip(model.requests, model.requests[1:], strict=False):
            assert list(after.messages)[: len(before.messages)] == list(before.messages)
            assert (after.instructions, after.tools) == (before.instructions, before.tools)

    async def test_has_structured_results_as_compact_json_on_one_line(self) -> None:
        @agents.tool
        def look_up() -> dict[str, Any]:
            """Read an alert."""
            return {"alert": "1", "lines": ["a\nb", None, 1.5]}

        model = ScriptedModel([call("look_up"), reply("Done.")])
        await agents.Agent(model=model, tools=[look_up]).run("Go.")
        assert sent(model)[-1] == 'tool: {"alert":"1","lines":["a\\nb",null,1.5]}'
