"""A service of hence on a temporary folder, and a folder under the gate's rules."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hence import Gate, Hence, HenceError, Owner

HENCE = os.environ.get("HENCE", "hence")
FIXTURE = Path(__file__).parents[2] / "fixture"


class Service:
    """A `hence serve` that can be killed and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.start()
        self.tokens = {name: self._token(name) for name in ("pep", "ada")}

    def start(self) -> None:
        words = [HENCE, "serve", "--http", f"127.0.0.1:{self.port}"]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=log)
        until = time.monotonic() + 20
        while True:
            try:
                Hence(self.base).ask("GET", "/readyz", again=False)
                return
            except HenceError:
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def _token(self, name: str) -> str:
        words = [HENCE, "token", "create", "--as", name, "--scope", "decide,read,write"]
        return subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def client(self, name: str = "pep") -> Hence:
        return Hence(self.base, self.tokens[name])


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    shutil.copytree(FIXTURE / "service", tmp_path, dirs_exist_ok=True)
    running = Service(tmp_path)
    yield running
    running.kill()


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[Path]:
    """A folder under the gate's rules; whoever owns its ledger is ended."""
    folder = tmp_path / "gated"
    shutil.copytree(FIXTURE / "gate", folder)
    yield folder
    try:
        os.kill(Owner(folder / ".hence").status()["process"], signal.SIGTERM)
    except HenceError:
        pass


@pytest.fixture
def gate(gated: Path) -> Gate:
    return Gate(gated / ".hence", program=HENCE, cwd=str(gated), timeout=10)


def marking(marker: Path) -> tuple[Callable[[str], str], ...]:
    """Tools that leave a mark where they run; the rules allow the first, and ask about the last."""

    def weather(city: str) -> str:
        """The weather."""
        marker.write_text(city)
        return f"sunny in {city}"

    def fetch(url: str) -> str:
        """A page."""
        marker.write_text(url)
        return "fetched"

    def deploy(place: str) -> str:
        """Deploys."""
        marker.write_text(place)
        return f"deployed to {place}"

    return weather, fetch, deploy


def secret_is_known(gate: Gate, folder: Path) -> None:
    """Has the session `s1` read a secret."""
    gate.judge("read_file", {"path": str(folder / ".env")}, session="s1", call="call-0")
