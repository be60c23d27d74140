"""Tests of journals that are not as they were written, of values that are hard to write, and of disks that refuse."""

from __future__ import annotations

import base64
import errno
import json
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.journal.story import saved_in

if TYPE_CHECKING:
    from pathlib import Path

JOURNAL = "journal.jsonl"


def unreadable(info: agents.SessionInfo) -> str:
    """Return why a list says that a session cannot be read."""
    match info.termination:
        case agents.UnknownTermination(type="unreadable", raw=raw):
            return str(raw["message"])
        case other:
            pytest.fail(f"it can be read: {other}")


def talker(*replies: str) -> agents.Agent[str]:
    return agents.Agent(name="talker", model=ScriptedModel([reply(text) for text in replies]))


@pytest.fixture
async def saved(directory: Path) -> Path:
    """The journal of a session with two turns."""
    async with saved_in(directory):
        session = await talker("One.", "Two.").start_session()
        await session.run("1")
        await session.run("2")
    return directory / session.id / JOURNAL


def flip(path: Path, line: int) -> None:
    """Change one letter in a line."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b"fact", b"fict", 1)
    path.write_bytes(b"".join(lines))


class TestADamagedJournal:
    async def test_with_whole_lines_after_the_damage_is_refused(self, saved: Path, directory: Path) -> None:
        flip(saved, 3)
        before = saved.read_bytes()
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match=r"damaged.* byte \d+.*Nothing was changed"):
                await talker().session(saved.parent.name).info()
        assert saved.read_bytes() == before

    @pytest.mark.parametrize("line", [0, 1, 2])
    async def test_is_listed_with_what_is_wrong(self, line: int, saved: Path, directory: Path) -> None:
        lines = saved.read_bytes().splitlines(keepends=True)
        lines[line] = b'{"bad\n'
        saved.write_bytes(b"".join(lines))
        async with saved_in(directory):
            other = await talker("Three.").run("3")
            whole, damaged = [info async for info in agents.list_sessions(host="local")]
        assert (whole.session_id, whole.termination) == (other.session_id, None)
        assert (damaged.session_id, damaged.status, damaged.agent_name) == (saved.parent.name, "terminated", "")
        assert "is damaged: the line at byte" in unreadable(damaged)
        assert damaged.created_at.year >= 2026

    async def test_that_may_not_be_read_is_listed_with_why(
        self, saved: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(path: object, *_: object, **__: object) -> int:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr("mistralai.agents.local.journal.summaries.os.open", refuse)  # root may read everything
        async with saved_in(directory):
            (listed,) = [info async for info in agents.list_sessions(host="local")]
        assert unreadable(listed) == f"{saved} cannot be read: Permission denied"

    async def test_that_lost_a_line_is_refused(self, saved: Path, directory: Path) -> None:
        lines = saved.read_bytes().splitlines(keepends=True)
        saved.write_bytes(b"".join([*lines[:4], *lines[5:]]))
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match="continues at fact"):
                await talker().session(saved.parent.name).info()

    @pytest.mark.parametrize("cut", [1, 20, 150])
    async def test_with_a_torn_last_line_opens_without_it(self, saved: Path, directory: Path, cut: int) -> None:
        whole = saved.read_bytes()
        saved.write_bytes(whole[:-cut])
        async with saved_in(directory):
            session = talker("Three.").session(saved.parent.name)
            state = await session.run("3")  # the torn line was the end of turn 2, which ends on opening
            assert not isinstance(state, agents.Busy)
            assert state.text == "Three."
            await session.cancel()
            told = [event async for event in session.iter_events() if isinstance(event, agents.Notice)]
            assert "cut from the journal" in told[0].message + told[-1].message
        (kept,) = saved.parent.glob("cut-at-*")
        assert whole[:-cut].endswith(kept.read_bytes())

    async def test_whose_last_line_is_garbage_opens_without_it(self, saved: Path, directory: Path) -> None:
        saved.write_bytes(saved.read_bytes() + bytes(500) + b"\n" + bytes(20))
        async with saved_in(directory):
            assert (await talker().session(saved.parent.name).info()).status == "waiting"
        assert next(saved.parent.glob("cut-at-*")).stat().st_size == 521

    async def test_of_a_newer_version_is_left_alone(self, saved: Path, directory: Path) -> None:
        from mistralai.agents.local.journal import lines

        _, _, rest = saved.read_bytes().partition(b"\n")
        header = json.loads(saved.read_bytes().partition(b"\n")[0])
        header.pop("crc")
        header["version"] = lines.VERSION + 1
        seal: Any = vars(lines)["_seal"]
        saved.write_bytes(seal(json.dumps(header, separators=(",", ":")).encode()) + rest)
        before = saved.read_bytes()
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match="version 2"):
                await talker().session(saved.parent.name).info()
            (listed,) = [info async for info in agents.list_sessions(host="local")]
            assert "version 2" in unreadable(listed)
        assert saved.read_bytes() == before

    async def test_that_is_something_else_is_no_session(self, directory: Path) -> None:
        place = directory / "0198"
        place.mkdir(parents=True)
        (place / JOURNAL).write_text("Dear diary,\n")
        async with saved_in(directory):
            with pytest.raises(agents.SessionNotFoundError):
                await talker().session("0198").info()


class TestEveryPrefixOfAJournal:
    async def test_opens(self, saved: Path, directory: Path) -> None:
        """Wherever a crash cuts the file, it opens, and nothing of it is there twice."""
        whole = saved.read_bytes()
        first = whole.index(b"\n", whole.index(b"\n") + 1) + 1
        cuts = sorted({first, len(whole), *random.Random(7).sample(range(first, len(whole)), 40)})
        for cut in cuts:
            saved.write_bytes(whole[:cut])
            for kept in saved.parent.glob("cut-at-*"):
                kept.unlink()
            async with saved_in(directory):
                session = talker("One.", "Two.").session(saved.parent.name)
                entries = await session.history()
                assert len({entry.id for entry in entries}) == len(entries)


class TestOneChangedByte:
    async def test_is_never_taken_for_what_was_written(self, saved: Path, directory: Path) -> None:
        """Whichever byte it is: the session opens with a part of its history from the start, or says why not."""
        whole = saved.read_bytes()
        async with saved_in(directory):
            there = await talker().session(saved.parent.name).history()
        chance = random.Random(11)
        outcomes: set[str] = set()
        for _ in range(60):
            at = chance.randrange(len(whole))
            changed = bytearray(whole)
            changed[at] ^= 1 << chance.randrange(8)
            saved.write_bytes(changed)
            async with saved_in(directory):
                try:
                    history = await talker().session(saved.parent.name).history()
                    outcomes.add("opened")
                    assert history == there[: len(history)]
                except (agents.experimental.JournalError, agents.SessionNotFoundError) as error:
                    outcomes.add(type(error).__name__)
        assert "JournalError" in outcomes


class TestHardValues:
    @pytest.mark.parametrize("text", ["é 漢字 🦭", "\ud83d alone", '\x00 \u2028 \r\n \\ "', "", "x" * 200_000])
    async def test_of_text_come_back(self, directory: Path, text: str) -> None:
        asked = text or "-"
        async with saved_in(directory):
            session = await talker(asked).start_session()
            await session.run(asked)
            there = await session.history()
        async with saved_in(directory):
            again = await talker().session(session.id).history()
            assert again == there
            assert [entry.text for entry in again if isinstance(entry, agents.MessageEntry)] == [asked, asked]

    async def test_of_tool_results_come_back(self, directory: Path) -> None:
        value = json.loads(
            r"""{"big": 1208925819614629174706176, "float": 0.1, "none": null, "list": [[], {}, "\udfff"],
            "": {"upload": "x", "$upload": 1}}"""
        )

        @agents.tool
        def look() -> Any:
            """Look."""
            return value

        async with saved_in(directory):
            first = agents.Agent(name="a", model=ScriptedModel([call("look", {}), reply("ok")]), tools=[look])
            session = await first.start_session()
            await session.run("x")
            there = await session.history()
        async with saved_in(directory):
            again = await agents.Agent(name="a", model="m", tools=[look]).session(session.id).history()
            assert again == there

    async def test_of_images_lie_beside_the_journal(self, directory: Path) -> None:
        picture = random.Random(1).randbytes(300_000)
        data = base64.b64encode(picture).decode()
        content: Any = [
            {"type": "text", "text": "What is this?"},
            {"type": "image", "uri": f"data:image/png;base64,{data}"},
            {"type": "image", "uri": f"data:image/png;base64,{data}"},
        ]
        async with saved_in(directory):
            session = await talker("A seal.").start_session()
            await session.run(content)
            there = await session.history()
        place = directory / session.id
        (upload,) = (place / "uploads").iterdir()
        assert upload.read_bytes() == picture
        assert (place / JOURNAL).stat().st_size < 20_000
        model = ScriptedModel([reply("Still a seal.")])
        async with saved_in(directory):
            again = agents.Agent(name="talker", model=model).session(session.id)
            assert await again.history() == there
            await again.run("Sure?")
            assert data in str(model.requests[0].messages[0])
        upload.write_bytes(b"something else")
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match="upload"):
                await talker().session(session.id).info()
        upload.unlink()
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match="upload"):
                await talker().session(session.id).info()


class TestADirectoryThatCannotBeWritten:
    async def test_is_told_when_a_session_starts(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        directory.parent.mkdir(exist_ok=True)
        directory.write_text("a file")
        async with saved_in(directory):
            with pytest.raises(agents.experimental.JournalError, match="No session can be saved"):
                await talker().start_session()

    async def test_can_still_be_read(self, saved: Path, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        really = os.open

        def read_only(path: Any, flags: int, *rest: int) -> int:
            if flags & (os.O_RDWR | os.O_WRONLY):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return really(path, flags, *rest)

        monkeypatch.setattr("mistralai.agents.local.journal.directory.os.open", read_only)
        async with saved_in(directory):
            session = talker().session(saved.parent.name)
            assert len(await session.history()) == 4
            with pytest.raises(agents.experimental.JournalError, match="read-only"):
                await session.run("3")
