"""What the service answers over HTTP, and what goes wrong on the way."""

from __future__ import annotations

import socket
import threading
import time
from datetime import datetime, timezone

import pytest

from conftest import Service
from hence import Hence, HenceError, Unreachable


def test_facts_are_decided_on_and_questions_about_them_answered(service: Service) -> None:
    hence = service.client()
    outcome = hence.decide([{"tool_call": ["c1", "web_search"]}])
    assert [(one["relation"], one["because"]) for one in outcome["drawn"]] == [
        ("tool_allowed", "web_search is safe at level 1")
    ]
    assert hence.query("tool_allowed(Tool)", min_tx=outcome["tx"])["rows"] == [{"Tool": "web_search"}]
    assert hence.why('tool_allowed("web_search")')["holds"] == 1
    assert hence.proof("1.1")["rule"] == "safe_at_this_level"
    assert hence.decisions("tool_allowed")["total"] == 1
    assert hence.facts("tool_call")["facts"] == [{"call": "c1", "tool": "web_search"}]
    assert hence.status()["transactions"] == 1
    lacking = hence.why_not('tool_allowed("deploy")')["rules"][0]["message"]
    assert lacking == 'tool_call(tool: "deploy", _) is missing'
    changes = hence.what_if([{"tool_call": ["c2", "deploy"]}])["changes"]
    assert [change["decision"] for change in changes] == [{"tool_blocked": ["deploy", "/not_safe_at_level"]}]
    gone = hence.decide(retract=[{"tool_call": ["c1", "web_search"]}])
    assert [one["id"] for one in gone["lapsed"]] == ["1.1"]


def test_what_is_only_tried_is_not_recorded(service: Service) -> None:
    hence = service.client()
    assert hence.decide([{"tool_call": ["c1", "web_search"]}], dry=True)["drawn"]
    assert hence.status()["transactions"] == 0


def test_a_key_records_once(service: Service) -> None:
    hence = service.client()
    facts = [{"tool_call": ["c1", "web_search"]}, {"tool_call": ["c2", "calculate"]}]
    first = hence.assert_facts(facts, key="k1", note="both")
    again = hence.assert_facts(facts, key="k1", note="both")
    assert (first["asserted"], again["repeated"], again["committed"]) == (2, True, first["committed"])
    with pytest.raises(HenceError) as other:
        hence.assert_facts(facts[:1], key="k1")
    assert other.value.status == 422


def test_faulty_facts_are_an_error_with_code_and_help(service: Service) -> None:
    with pytest.raises(HenceError) as found:
        service.client().decide([{"tool_call": ["c1", 5]}])
    error = found.value
    assert (error.status, error.code, error.help) == (422, "E613", ['write `"5"`'])
    assert str(error) == 'E613: expected a string, found the int `5`; write `"5"`'
    with pytest.raises(HenceError, match="expect"):
        service.client().decide([{"tool_call": ["c1", "x"]}], expect_tx=7)


def test_nobody_is_let_in_without_a_token(service: Service) -> None:
    with pytest.raises(HenceError) as found:
        Hence(service.base).status()
    assert found.value.status == 401 and not isinstance(found.value, Unreachable)


def test_a_reviewer_approves_and_rejects(service: Service) -> None:
    agent, ada = service.client(), service.client("ada")
    ada.assert_facts([{"reviewer": ["ada"]}])
    now = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
    for name in ("p1", "p2"):
        agent.decide([
            {"proposal": [name, "/playbook_suggestion", 0.72, now]},
            {"proposal_content": [name, "/value", "Answer in one sentence"]},
        ])
    waiting = [review["id"] for review in agent.reviews()]
    assert len(waiting) == 2
    with pytest.raises(HenceError) as refused:
        agent.approve(waiting[0])
    assert refused.value.status == 403
    ada.approve(waiting[0], "fine", edits={"value": "Answer in a sentence"})
    ada.reject(waiting[1], "too short")
    assert ada.reviews() == []


def test_authzen_permits_and_denies_with_reasons(service: Service) -> None:
    hence = service.client()
    agent = {"type": "agent", "id": "a1"}
    permitted = hence.evaluate(agent, "use", {"type": "tool", "id": "web_search"})
    assert permitted["decision"] is True
    denied = hence.evaluate(agent, {"name": "use"}, {"type": "tool", "id": "deploy"}, {"why": "release"})
    assert denied["decision"] is False
    assert denied["context"]["because"] == "deploy is none of the tools that are safe at level 1"
    several = hence.evaluate_all(
        [{"resource": {"type": "tool", "id": tool}} for tool in ("deploy", "web_search")],
        subject=agent, action={"name": "use"}, semantic="deny_on_first_deny",
    )
    assert [one["decision"] for one in several] == [False]


def test_changes_go_on_over_kills_once_and_in_order(service: Service) -> None:
    hence = service.client()
    seen: list[int] = []
    changes = hence.changes(patience=30)

    def listen() -> None:
        for transaction in changes:
            seen.append(transaction["transaction"])
            if len(seen) == 12:
                return

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    for turn in range(3):
        for number in range(4):
            hence.decide([{"tool_call": [f"c{turn}-{number}", "web_search"]}])
        service.kill()
        service.start()
    listener.join(30)
    changes.close()
    assert seen == list(range(1, 13))
    again = hence.changes(after=9)
    assert [next(again)["transaction"] for _ in range(3)] == [10, 11, 12]
    again.close()


def test_a_service_that_is_gone_is_unreachable_in_time(service: Service) -> None:
    hence = Hence(service.base, service.tokens["pep"], timeout=1)
    changes = hence.changes(after=0, patience=0.5)
    service.kill()
    begun = time.monotonic()
    with pytest.raises(Unreachable):
        hence.decide([{"tool_call": ["c1", "web_search"]}])
    with pytest.raises(Unreachable):
        next(changes)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("answer", [
    b"", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{\"tx\": 1", b"HTTP/1.1 200 OK\r\n\r\n[]", b"nonsense\r\n\r\n",
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5000,
])
def test_an_answer_that_is_cut_off_or_foreign_is_an_error(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        hence = Hence(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=0.6, longest=1000)
        with pytest.raises(HenceError):
            hence.status()
        server.shutdown(socket.SHUT_RDWR)


def test_a_service_that_says_nothing_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(Unreachable):
            Hence(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.5).status()
        assert time.monotonic() - begun < 3
