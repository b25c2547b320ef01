"""hence as a child process, and the socket of a ledger's owner."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from conftest import FIXTURE, HENCE, Service
from hence import Gate, Hence, HenceError, Owner, Stream, Streamed, Unreachable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURE / "service", tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_stream_answers_each_transaction(folder: Path) -> None:
    with Stream(program=HENCE, cwd=str(folder)) as stream:
        answer = stream.decide([{"tool_call": ["c1", "web_search"]}, {"tool_call": ["c2", "deploy"]}])
        assert [change["relation"] for change in answer["changes"]] == ["tool_allowed", "tool_blocked"]
        with pytest.raises(HenceError) as refused:
            stream.decide([{"tool_call": ["c3"]}])
        assert refused.value.code == "E609"
        gone = stream.decide(retract=[{"tool_call": ["c1", "web_search"]}])
        assert gone["end"]["lapsed"] == 1
        assert stream.close() == 2
    with pytest.raises(Unreachable):
        stream.decide([{"tool_call": ["c4", "deploy"]}])


def test_what_has_no_utf_8_is_refused_and_the_stream_goes_on(folder: Path) -> None:
    with Stream(program=HENCE, cwd=str(folder)) as stream:
        with pytest.raises(ValueError):
            stream.decide([{"tool_call": ["c1", "\ud800"]}])
        answer = stream.decide([{"tool_call": ["c1", "web_search"]}])
        assert [change["values"][0] for change in answer["changes"]] == ["web_search"]


def test_what_others_record_meanwhile_is_heard_and_no_answer_of_ours(folder: Path) -> None:
    heard: list[Streamed] = []
    came = threading.Event()

    def hear(answer: Streamed) -> None:
        heard.append(answer)
        came.set()

    with Stream(program=HENCE, cwd=str(folder), heard=hear) as stream:
        stream.decide([{"tool_call": ["c1", "web_search"]}])
        subprocess.run([HENCE, "--quiet", "assert", 'tool_call("c2", "deploy")'], cwd=folder, check=True)
        assert came.wait(10)
        ours = stream.decide([{"tool_call": ["c3", "calculate"]}])
    assert [change["values"][0] for change in heard[0]["changes"]] == ["deploy"]
    assert [change["values"][0] for change in ours["changes"]] == ["calculate"]


def test_a_stream_that_is_killed_is_unreachable(folder: Path) -> None:
    stream = Stream(program=HENCE, cwd=str(folder))
    stream.decide([{"tool_call": ["c1", "web_search"]}])
    stream._process.kill()
    with pytest.raises(Unreachable):
        stream.decide([{"tool_call": ["c2", "web_search"]}])
    stream.close()
    with pytest.raises(Unreachable):
        Stream(program=str(folder / "none"))


def test_the_owner_says_who_it_is(service: Service) -> None:
    owner = Owner(service.folder / ".hence").status()
    assert (owner["process"], owner["waiting"]) == (service.process.pid, 0)
    with pytest.raises(Unreachable):
        Owner(service.folder / "elsewhere").status()


def test_the_gate_knows_what_a_session_did_and_starts_the_owner(gate: Gate, gated: Path) -> None:
    assert gate.judge("weather", {"city": "Ulm"}, session="s1", call="c1").kind == "allow"
    assert gate.ran("weather", {"city": "Ulm"}, session="s1", call="c1")
    asked = gate.judge("read_file", {"path": str(gated / ".env")}, session="s1", call="c2")
    assert (asked.kind, "holds secrets" in asked.text) == ("ask", True)
    denied = gate.judge("fetch", {"url": "https://example.com"}, session="s1", call="c3")
    assert (denied.kind, "secret_sent" in denied.text) == ("deny", True)
    assert gate.judge("fetch", {"url": "https://example.com"}, session="s2", call="c4").kind != "deny"
    assert gate.ended("s1") and gate.ended("s2")


def test_the_gate_asks_a_service_that_answers_hooks(gated: Path) -> None:
    service = Service(gated)
    try:
        hence = service.client()
        if "/hook/{host}" not in hence.ask("GET", "/openapi.json")["paths"]:
            pytest.skip("this hence answers no hooks")
        gate = Gate(service=hence, cwd=str(gated))
        calls = [("weather", {}), ("read_file", {"path": str(gated / ".env")}), ("fetch", {"url": "https://example.com"})]
        kinds = [gate.judge(tool, said, session="s1", call=tool).kind for tool, said in calls]
        assert kinds == ["allow", "ask", "deny"]
        assert gate.ran("weather", {}, session="s1", call="weather") and gate.ended("s1")
    finally:
        service.kill()
    assert Gate(service=Hence(service.base, timeout=1)).judge("weather", {}, session="s1", call="c9").kind == "deny"


def test_a_call_with_a_long_argument_is_judged(gate: Gate, gated: Path) -> None:
    long = "x" * 1_000_000
    assert gate.judge("write_file", {"path": str(gated / "a"), "content": long}, session="s1", call="c1").kind != "deny"


def test_the_same_call_is_judged_once_until_it_ran(gate: Gate, gated: Path) -> None:
    def ask() -> str:
        return gate.judge("weather", {"city": "Ulm"}, session="s1", call="c1").text

    first = ask()
    assert ask() == first
    gate.ran("weather", {"city": "Ulm"}, session="s1", call="c1")
    assert ask() != first


@pytest.mark.parametrize("output", [
    "", "no JSON", "{}", "[]", '{"hookSpecificOutput": {"permissionDecision": "perhaps"}}', '{"hookSpecificOutput": []}',
    '{"hookSpecificOutput": null}',
])
def test_what_is_no_verdict_denies(tmp_path: Path, output: str) -> None:
    program = tmp_path / "hence"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{output}\nEND\n")
    program.chmod(0o755)
    gate = Gate(tmp_path / ".hence", program=str(program))
    assert gate.judge("weather", {}, session="s", call="c").kind == "deny"


def test_a_gate_that_is_not_there_or_says_nothing_denies(tmp_path: Path) -> None:
    def judged(program: str | None) -> str:
        return Gate(tmp_path / ".hence", program=program, timeout=0.5).judge("weather", {}, session="s", call="c").kind

    sleeping = tmp_path / "sleeping"
    sleeping.write_text("#!/bin/sh\nexec sleep 20\n")
    sleeping.chmod(0o755)
    assert [judged(None), judged(str(tmp_path / "none")), judged(str(sleeping))] == ["deny"] * 3


@pytest.mark.parametrize("answer", [b"", b"nonsense\n", b"[]\n", b'{"hence":1,"refused":{"why":"busy","again":true}}\n', b"7\n"])
def test_an_owner_that_answers_something_else_denies(tmp_path: Path, answer: bytes) -> None:
    os.makedirs(tmp_path / ".hence")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / ".hence/owner.sock"))
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                asked = json.loads(connection.makefile().readline())
                assert asked["hence"] == 1
                connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        gate = Gate(tmp_path / ".hence", program=None, timeout=2)
        assert gate.judge("weather", {}, session="s", call="c").kind == "deny"
