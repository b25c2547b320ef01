"""Transactions as they come: server-sent events that go on where a lost connection ended."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from typing import cast

from .answers import Transaction
from .errors import HenceError, Unreachable

#: How long nothing may come; the service says something every 15 s.
SILENCE = 40.0
#: How long to wait before connecting again.
PAUSE = 0.2

Listen = Callable[[int, float], http.client.HTTPResponse]


class Changes(Iterator[Transaction]):
    """An iterator over transactions, which ends when it is closed; `last` is the one that was given last."""

    def __init__(self, listen: Listen, last: int, patience: float, longest: int) -> None:
        self.last = last
        self._listen, self._patience, self._longest = listen, patience, longest
        self._response: http.client.HTTPResponse | None = None
        self._heard, self._closed = 0.0, False

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it."""
        self._closed = True
        self._hang_up()

    def __next__(self) -> Transaction:
        self._heard = time.monotonic()
        while not self._closed:
            try:
                found = self._event(self._connected())
            except (OSError, http.client.HTTPException, Unreachable) as error:
                self._hang_up()
                if time.monotonic() >= self._heard + self._patience:
                    raise Unreachable(f"the changes after transaction {self.last} don't come: {error}") from error
                time.sleep(PAUSE)
                continue
            if found["transaction"] > self.last:
                self.last = found["transaction"]
                return found
        raise StopIteration

    def _connected(self) -> http.client.HTTPResponse:
        if self._response is None:
            self._response = self._listen(self.last, SILENCE)
        return self._response

    def _hang_up(self) -> None:
        response, self._response = self._response, None
        if response is not None:
            response.close()

    def _event(self, response: http.client.HTTPResponse) -> Transaction:
        """The next event that is whole; one that was cut off comes again."""
        data: list[bytes] = []
        size = 0
        while True:
            line = response.readline(self._longest + 1)
            if not line.endswith(b"\n"):
                if len(line) > self._longest:
                    raise HenceError(f"a transaction has more than {self._longest} bytes")
                raise ConnectionError("the connection ended")
            self._heard = time.monotonic()
            line = line.rstrip(b"\r\n")
            size += len(line)
            if size > self._longest:
                raise HenceError(f"a transaction has more than {self._longest} bytes")
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                return cast(Transaction, json.loads(b"\n".join(data)))
            elif not line:
                size = 0
