"""hence as a child process: facts go to its standard input, decisions come from its standard output, both as JSON lines."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

from .answers import Fact, Streamed
from .errors import HenceError, Unreachable

#: How long the process may take to end once its input has.
PATIENCE = 30.0
#: How many answers may wait to be read.
WAITING = 1024


class Stream:
    """A `hence decide --follow` at work, which owns its ledger meanwhile.

    Each `decide` is a transaction, and is answered within `timeout` seconds. What others record and what the clock brings
    goes to `heard`, which a thread of the stream's own calls; it is in the ledger all the same.
    """

    def __init__(
        self, store: str = ".hence", *, author: str = "hence-python", program: str = "hence",
        arguments: Sequence[str] = (), cwd: str | None = None, timeout: float = 60.0, longest: int = 64 << 20,
        heard: Callable[[Streamed], None] | None = None,
    ) -> None:
        words = [program, "decide", "--follow", "--batch", "--store", store, "--as", author, *arguments]
        self.store, self._timeout, self._longest, self._heard = store, timeout, longest, heard
        try:
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd)
        except OSError as error:
            raise Unreachable(f"`{program}` can't be started: {error}") from error
        self._answers: queue.Queue[Streamed | HenceError] = queue.Queue(WAITING)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._lock = threading.Lock()
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def decide(self, facts: Iterable[Fact] = (), *, retract: Iterable[Fact] = ()) -> Streamed:
        """Records facts in one transaction: what it changed, and the line that ends the answer."""
        lines = [json.dumps(fact, ensure_ascii=False) for fact in facts]
        lines += [json.dumps({"retract": fact}, ensure_ascii=False) for fact in retract]
        if not lines:
            raise ValueError("there is no fact to record")
        # What can't be written, as half a surrogate pair, is refused before the process hears of it.
        sent = ("\n".join(lines) + "\n\n").encode()
        with self._lock:
            return self._sent(sent)

    def close(self) -> int:
        """Ends the stream; its exit status, which is 2 where something was refused."""
        # What was not read of a process that ended is lost with it, as `decide` said.
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait(PATIENCE)

    def _sent(self, sent: bytes) -> Streamed:
        # A process that doesn't read, or doesn't answer, is ended: nobody knows then which answer is whose.
        late = threading.Timer(self._timeout, self._process.kill)
        late.daemon = True
        late.start()
        try:
            self._input.write(sent)
            self._input.flush()
            answer = self._answers.get(timeout=self._timeout + 1)
        except (OSError, ValueError, queue.Empty) as error:
            self._process.kill()
            raise Unreachable(f"hence gave no answer: {error or 'it took too long'}") from error
        finally:
            late.cancel()
        if isinstance(answer, HenceError):
            raise answer
        return answer

    def _read(self, output: IO[bytes]) -> None:
        """Puts answers together as they come; what answers no line of ours goes to `heard`."""
        changes: list[dict[str, Any]] = []
        try:
            while line := output.readline(self._longest + 1):
                if len(line) > self._longest:
                    break
                said: dict[str, Any] = json.loads(line)
                if said.get("change") not in ("committed", "error"):
                    changes.append(said)
                    continue
                answer: Streamed = {"changes": changes, "end": said}
                changes = []
                if said.get("line") is not None:
                    self._answers.put(answer if said["change"] == "committed" else _refused(said))
                elif self._heard is not None:
                    self._heard(answer)
        finally:
            self._process.kill()
            self._answers.put(Unreachable("hence ended"))


def _refused(said: dict[str, Any]) -> HenceError:
    errors = said.get("errors") or [{}]
    return HenceError(str(errors[0].get("message", "the facts were refused")), diagnostics=errors)
