"""What goes wrong: hence refuses, or gives no answer in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class HenceError(Exception):
    """hence refused. `status` is that of HTTP, where it came over HTTP."""

    def __init__(
        self, text: str, *, status: int | None = None, diagnostics: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        super().__init__(text)
        self.text = text
        self.status = status
        #: Every fault with its code, its place, its notes and its help.
        self.diagnostics = list(diagnostics)

    @property
    def code(self) -> str | None:
        """The code of the first diagnostic, such as `E613`; `hence explain` tells about it."""
        return self.diagnostics[0].get("code") if self.diagnostics else None

    @property
    def help(self) -> list[str]:
        """The ways out of the first diagnostic."""
        return list(self.diagnostics[0].get("help", ())) if self.diagnostics else []

    def __str__(self) -> str:
        code = f"{self.code}: " if self.code else ""
        return code + "; ".join([self.text, *self.help])


class Unreachable(HenceError):
    """No answer came in time. Nothing is decided; a write may have been recorded, unless it had a key and is repeated."""
