"""The service over HTTP."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from .answers import (
    Decisions, Evaluation, Fact, Facts, Outcome, Proof, Proofs, Reviews, Rows, Transaction, WhatIf, WhyNot,
)
from .errors import HenceError, Unreachable
from .events import Changes

#: How long to wait before a request is sent again.
PAUSE = 0.2
#: How much is read at once.
CHUNK = 65536


class Hence:
    """A service of hence, such as `Hence("http://127.0.0.1:7433", token)`.

    Every request ends within `timeout` seconds, and no answer has more than `longest` bytes. Reads, and what is recorded
    under a key, are sent again for as long as there is time. `tls` is the context of `https`, with a certificate of
    the client's where it is known by one.
    """

    def __init__(
        self, base: str, token: str | None = None, *, timeout: float = 10.0, longest: int = 64 << 20,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"`{base}` is no address; expected one such as http://127.0.0.1:7433")
        self._at, self._prefix, self._secure = (parts.hostname, parts.port), parts.path.rstrip("/"), parts.scheme == "https"
        self._token, self._timeout, self._longest, self._tls = token, timeout, longest, tls

    def ask(
        self, method: str, path: str, body: object = None, *, query: Mapping[str, object] | None = None,
        key: str | None = None, again: bool | None = None,
    ) -> dict[str, Any]:
        """Sends one request of `/openapi.json`; a text is sent as JSON lines, anything else as JSON. What is `again` may
        be sent twice: every GET, and what has a key."""
        until = time.monotonic() + self._timeout
        again = method == "GET" or key is not None if again is None else again
        while True:
            try:
                return self._once(method, path, body, key, query or {}, until)
            except Unreachable:
                if not again or time.monotonic() + PAUSE >= until:
                    raise
            time.sleep(PAUSE)

    def decide(
        self, facts: Iterable[Fact] = (), *, retract: Iterable[Fact] = (), dry: bool = False,
        key: str | None = None, expect_tx: int | None = None, note: str | None = None,
    ) -> Outcome:
        """Records facts in one transaction and says what they decide; `dry` records nothing. It is recorded once, under
        `key` or one of its own."""
        body: dict[str, object] = {"facts": list(facts), "retract": list(retract), "dry": dry}
        body |= {name: value for name, value in (("expect_tx", expect_tx), ("note", note)) if value is not None}
        return cast(Outcome, self.ask("POST", "/v1/decide", body, key=None if dry else key or _key(), again=True))

    def assert_facts(
        self, facts: Iterable[Fact], *, key: str | None = None, expect_tx: int | None = None, note: str | None = None,
    ) -> Outcome:
        """Records facts as JSON lines in one transaction, `{"retract": …}` among them: what a large change is sent by."""
        lines = "".join(json.dumps(fact, ensure_ascii=False) + "\n" for fact in facts)
        answer = self.ask("POST", "/v1/facts", lines, key=key or _key(), query={"expect_tx": expect_tx, "note": note})
        return cast(Outcome, answer)

    def query(self, body: str, *, min_tx: int | None = None, as_of: int | str | None = None) -> Rows:
        """The matches of a rule body, such as `tool_allowed(Tool)`."""
        return cast(Rows, self._read("/v1/query", {"body": body}, min_tx, as_of))

    def why(
        self, fact: str, *, all_inputs: bool = False, most: int = 20, min_tx: int | None = None,
        as_of: int | str | None = None,
    ) -> Proofs:
        """The proofs of a fact, such as `tool_allowed("shell")`."""
        body = {"fact": fact, "all_inputs": all_inputs, "most": most}
        return cast(Proofs, self._read("/v1/why", body, min_tx, as_of))

    def why_not(self, fact: str, *, look: int = 200, min_tx: int | None = None, as_of: int | str | None = None) -> WhyNot:
        """What is missing for a fact; remedies are looked for during `look` milliseconds."""
        return cast(WhyNot, self._read("/v1/why-not", {"fact": fact, "look": look}, min_tx, as_of))

    def what_if(
        self, facts: Iterable[Fact] = (), *, retract: Iterable[Fact] = (), params: Mapping[str, Any] | None = None,
        min_tx: int | None = None, as_of: int | str | None = None,
    ) -> WhatIf:
        """Which decisions would be drawn and lapse if these facts stood, those didn't, and parameters were others."""
        body = {"assert": list(facts), "retract": list(retract), "set": dict(params or {})}
        return cast(WhatIf, self._read("/v1/what-if", body, min_tx, as_of))

    def decisions(
        self, relation: str | None = None, *, limit: int = 100, offset: int = 0, min_tx: int | None = None,
        as_of: int | str | None = None,
    ) -> Decisions:
        """The decisions in force."""
        query = {"relation": relation, "limit": limit, "offset": offset, "min_tx": min_tx, "as_of": as_of}
        return cast(Decisions, self.ask("GET", "/v1/decisions", query=query))

    def proof(self, decision: str, *, min_tx: int | None = None) -> Proof:
        """Why a decision was drawn, by its id."""
        return cast(Proof, self.ask("GET", f"/v1/decisions/{_part(decision)}/proof", query={"min_tx": min_tx}))

    def facts(
        self, relation: str, *, limit: int = 100, offset: int = 0, min_tx: int | None = None, as_of: int | str | None = None,
    ) -> Facts:
        """The facts of a relation."""
        query = {"limit": limit, "offset": offset, "min_tx": min_tx, "as_of": as_of}
        return cast(Facts, self.ask("GET", f"/v1/facts/{_part(relation)}", query=query))

    def status(self, *, min_tx: int | None = None) -> dict[str, Any]:
        """The ledger at a glance."""
        return self.ask("GET", "/v1/status", query={"min_tx": min_tx})

    def reviews(self, *, min_tx: int | None = None) -> list[dict[str, Any]]:
        """What waits for a person."""
        return cast(Reviews, self.ask("GET", "/v1/reviews", query={"min_tx": min_tx}))["reviews"]

    def approve(self, review: str, comment: str = "", *, edits: Mapping[str, str] | None = None) -> Outcome:
        """Approves what waits, with parts of its content written anew."""
        return self._answer(review, {"approved": True, "comment": comment, "edits": dict(edits or {})})

    def reject(self, review: str, comment: str = "") -> Outcome:
        """Rejects what waits."""
        return self._answer(review, {"approved": False, "comment": comment})

    def evaluate(
        self, subject: Mapping[str, Any], action: Mapping[str, Any] | str, resource: Mapping[str, Any],
        context: Mapping[str, Any] | None = None,
    ) -> Evaluation:
        """Whether a subject may do something (AuthZEN); the name of an action stands for it."""
        request = _evaluation(subject, action, resource, context)
        return cast(Evaluation, self.ask("POST", "/access/v1/evaluation", request))

    def evaluate_all(
        self, evaluations: Iterable[Mapping[str, Any]], *, semantic: str = "execute_all", **defaults: Any
    ) -> list[Evaluation]:
        """Several evaluations at once (AuthZEN); `defaults` are members that those lack."""
        body = {**defaults, "evaluations": list(evaluations), "options": {"evaluations_semantic": semantic}}
        answer = self.ask("POST", "/access/v1/evaluations", body)
        return cast("list[Evaluation]", answer["evaluations"])

    def changes(self, after: int | None = None, *, patience: float = 60.0) -> Changes:
        """Transactions as they come, each once and in order: those after `after`, by default those after the last one of
        now. A lost connection is made again; a service that is away for more than `patience` seconds is `Unreachable`."""
        last = int(self.status()["transactions"]) if after is None else after
        return Changes(self._listen, last, patience, self._longest)

    def _read(self, path: str, body: object, min_tx: int | None, as_of: int | str | None) -> dict[str, Any]:
        return self.ask("POST", path, body, again=True, query={"min_tx": min_tx, "as_of": as_of})

    def _answer(self, review: str, body: dict[str, object]) -> Outcome:
        return cast(Outcome, self.ask("POST", f"/v1/reviews/{_part(review)}", body))

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._at
        if self._secure:
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(host, port, timeout=timeout)

    def _headers(self) -> dict[str, str]:
        known = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        return {"Connection": "close"} | known

    def _once(
        self, method: str, path: str, body: object, key: str | None, query: Mapping[str, object], until: float
    ) -> dict[str, Any]:
        headers = self._headers() | ({"Idempotency-Key": key} if key else {})
        data = None
        if body is not None:
            headers["Content-Type"] = "application/x-ndjson" if isinstance(body, str) else "application/json"
            data = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        connection = self._connection(_left(until))
        try:
            connection.request(method, self._prefix + path + ("?" + asked if asked else ""), data, headers)
            wire = connection.sock
            response = connection.getresponse()
            return _parsed(response.status, self._whole(wire, response, until))
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{method} {path} got no answer: {error or type(error).__name__}") from error
        finally:
            connection.close()

    def _whole(self, wire: socket.socket, response: http.client.HTTPResponse, until: float) -> bytes:
        found = bytearray()
        while not response.isclosed():
            wire.settimeout(_left(until))
            chunk = response.read1(CHUNK)
            if not chunk:
                break
            found += chunk
            if len(found) > self._longest:
                raise HenceError(f"the answer has more than {self._longest} bytes", status=response.status)
        return bytes(found)

    def _listen(self, last: int, silence: float) -> http.client.HTTPResponse:
        """The stream of events after a transaction."""
        connection = self._connection(self._timeout)
        headers = self._headers() | {"Last-Event-ID": str(last), "Accept": "text/event-stream"}
        try:
            connection.request("GET", self._prefix + "/v1/changes", headers=headers)
            wire = connection.sock
            response = connection.getresponse()
            if response.status != 200:
                _parsed(response.status, response.read(CHUNK))
                raise HenceError("`/v1/changes` answered without events", status=response.status)
            wire.settimeout(silence)
            return response
        except BaseException:
            connection.close()
            raise


def _parsed(status: int, body: bytes) -> dict[str, Any]:
    """An answer; problem details (RFC 9457) are raised."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        # An answer that was cut off is none.
        kind = Unreachable if status == 200 or status >= 500 else HenceError
        raise kind(f"expected a JSON object, found status {status} with another body", status=status)
    if status < 400:
        return answer
    text = str(answer.get("detail") or answer.get("title") or f"status {status}")
    kind = Unreachable if status in (408, 502, 503, 504) else HenceError
    raise kind(text, status=status, diagnostics=answer.get("errors", ()))


def _evaluation(
    subject: Mapping[str, Any], action: Mapping[str, Any] | str, resource: Mapping[str, Any],
    context: Mapping[str, Any] | None,
) -> dict[str, Any]:
    named = {"name": action} if isinstance(action, str) else action
    request: dict[str, Any] = {"subject": subject, "action": named, "resource": resource}
    return request if context is None else request | {"context": context}


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _key() -> str:
    return uuid.uuid4().hex


def _part(text: str) -> str:
    return quote(text, safe="")
