"""Identifiers: UUIDs of version 7, which sort by the time they were made."""

from __future__ import annotations

from _thread import allocate_lock  # threading costs a millisecond to import
from os import urandom
from time import time_ns

_lock = allocate_lock()
_last = 0


def made_at(identifier: str) -> float:
    """Return when an identifier was made, in seconds since 1970; 0 where it is not one of these."""
    digits = identifier.replace("-", "")
    try:
        return int(digits[:12], 16) / 1000 if len(digits) == 32 and digits[12] == "7" else 0.0
    except ValueError:
        return 0.0


def uuid7() -> str:
    """Return a new identifier, greater than every one this process made before."""
    global _last
    milliseconds, rest = divmod(time_ns(), 1_000_000)
    tick = milliseconds << 12 | (rest << 12) // 1_000_000
    with _lock:
        _last = tick = tick if tick > _last else _last + 1
    noise = int.from_bytes(urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF
    text = f"{tick >> 12:012x}7{tick & 0xFFF:03x}{noise | 0x8000_0000_0000_0000:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
