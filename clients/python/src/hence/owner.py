"""The socket of the process that owns a ledger, `owner.sock` in its folder: a line to it, a line from it."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping
from typing import Any, TypedDict

from .errors import HenceError, Unreachable

#: How many bytes an answer has at most.
LONGEST = 1 << 20
#: How many bytes an event of a host has at most.
LARGEST = 4 << 20


class Standing(TypedDict):
    """Who owns a ledger."""

    process: int
    command: str
    waiting: int


class Judged(TypedDict):
    """What a host is told about an event: on standard output, on standard error, and by which exit status."""

    output: str | None
    error: str | None
    status: int


class Owner:
    """The owner of the ledger in `store`, on this machine and of the same user. Each answer comes within `timeout` seconds."""

    def __init__(self, store: str | os.PathLike[str] = ".hence", *, timeout: float = 3.0) -> None:
        self._path, self._timeout = os.path.join(store, "owner.sock"), timeout

    def status(self) -> Standing:
        """Who it is."""
        owner: Standing = self._ask({"status": {}}, "owner")
        return owner

    def judge(self, event: Mapping[str, Any], *, host: str = "claude", shadow: bool = False) -> Judged:
        """The verdict on an event, in the words of its host."""
        text = json.dumps(event)
        if len(text) > LARGEST:
            raise HenceError(f"the event has more than {LARGEST} bytes")
        judged: Judged = self._ask({"gate": {"host": host, "shadow": shadow, "event": text}}, "judged")
        return judged

    def _ask(self, wish: dict[str, Any], answer: str) -> Any:
        until = time.monotonic() + self._timeout
        # Without blanks: a line with an event may be long only if it begins so.
        line = json.dumps({"hence": 1, **wish}, separators=(",", ":")).encode() + b"\n"
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
                wire.settimeout(self._timeout)
                wire.connect(self._path)
                wire.sendall(line)
                said = json.loads(_line(wire, until))
        except (OSError, ValueError, AttributeError) as error:
            raise Unreachable(f"no owner answers at `{self._path}`: {error}") from error
        if not isinstance(said, dict) or answer not in said:
            why = said.get("refused", {}).get("why") if isinstance(said, dict) else None
            raise HenceError(why or f"the owner answered without `{answer}`")
        return said[answer]


def _line(wire: socket.socket, until: float) -> bytes:
    found = bytearray()
    while b"\n" not in found:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        wire.settimeout(left)
        chunk = wire.recv(65536)
        if not chunk or len(found) > LONGEST:
            raise ConnectionError("the answer was cut off")
        found += chunk
    return bytes(found)
