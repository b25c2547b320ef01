"""The texts in Cedar and Rego of `docs/access.md` answer as `examples/access` does."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from conftest import Service
from hence import Fact

cedarpy = pytest.importorskip("cedarpy")
regopy = pytest.importorskip("regopy")

ROOT = Path(os.environ.get("ROOT", Path(__file__).parents[3]))
CEDAR, REGO = re.findall(r"(?ms)^```text\n(.*?)^```$", (ROOT / "docs/access.md").read_text())

#: Beside those of the example: something that is lent still, and an editor.
MORE: list[Fact] = [
    {"lent": ["eve", "write", "budget", "2099-01-01T00:00:00+00:00"]},
    {"related": ["eve", "/editor", "notes"]},
]
SUBJECTS, ACTIONS, RESOURCES = ("ada", "bob", "carla", "dan", "eve"), ("read", "write", "delete"), ("plans", "budget", "notes")
#: How long ago a second factor was shown.
AGES = (None, timedelta(minutes=5), timedelta(minutes=20))
LEVELS = {"owner": ["read", "write", "delete"], "editor": ["read", "write"], "viewer": ["read"]}

Question = tuple[str, str, str, "timedelta | None"]


@pytest.fixture
def access(tmp_path: Path) -> Iterator[Service]:
    folder = tmp_path / "access"
    shutil.copytree(ROOT / "examples/access", folder)
    running = Service(folder)
    yield running
    running.kill()


def known(held: list[str]) -> dict[str, list[list[Any]]]:
    """The facts, by relation."""
    lines = (ROOT / "examples/access/facts.jsonl").read_text().splitlines()
    found: dict[str, list[list[Any]]] = {"held": [[resource] for resource in held]}
    for fact in [*map(json.loads, lines), *MORE]:
        for relation, values in fact.items():
            found.setdefault(relation, []).append(values)
    return found


def questions() -> list[Question]:
    return list(itertools.product(SUBJECTS, ACTIONS, RESOURCES, AGES))


def shown_at(age: timedelta) -> str:
    return (datetime.now(timezone.utc) - age).isoformat()


def by_hence(service: Service, facts: dict[str, list[list[Any]]]) -> list[bool]:
    hence = service.client()
    hence.assert_facts([{relation: values} for relation, rows in facts.items() for values in rows])
    asked = []
    for subject, action, resource, age in questions():
        properties = {} if age is None else {"second_factor_at": shown_at(age).replace("+00:00", "Z")}
        asked.append({
            "subject": {"type": "user", "id": subject, "properties": properties},
            "action": {"name": action}, "resource": {"type": "document", "id": resource},
        })
    return [one["decision"] for one in hence.evaluate_all(asked)]


def above(resource: str, facts: dict[str, list[list[Any]]]) -> list[str]:
    """A resource, and what it lies in."""
    parents = dict(facts["resource_in"])
    found = [resource]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found


def entity(resource: str, facts: dict[str, list[list[Any]]]) -> dict[str, Any]:
    """A resource as the caller of Cedar prepares it."""
    def people(relation: str) -> list[dict[str, Any]]:
        names = [s for s, of, to in facts["related"] if of == f"/{relation}" and to in above(resource, facts)]
        return [{"__entity": {"type": "User", "id": name}} for name in names]

    held = any([name] in facts["held"] for name in above(resource, facts))
    kind = dict(facts["resource"])[resource].capitalize()
    attributes = {"owners": people("owner"), "editors": people("editor"), "viewers": people("viewer"), "held": held}
    return {"uid": {"type": kind, "id": resource}, "attrs": attributes, "parents": []}


def by_cedar(facts: dict[str, list[list[Any]]]) -> list[bool]:
    roles = dict(facts["role_member"])
    users = [
        {"uid": {"type": "User", "id": name}, "attrs": {},
         "parents": [{"type": "Role", "id": roles[name]}] if name in roles else []}
        for name in SUBJECTS
    ]
    resources = {resource: entity(resource, facts) for resource in RESOURCES}
    lent = {(subject, action, resource): until for subject, action, resource, until in facts["lent"]}
    answers = []
    for subject, action, resource, age in questions():
        context: dict[str, Any] = {"now": int(datetime.now(timezone.utc).timestamp())}
        if age is not None:
            context["second_factor_age"] = {"__extn": {"fn": "duration", "arg": f"{int(age.total_seconds())}s"}}
        if until := lent.get((subject, action, resource)):
            context["lent_until"] = int(datetime.fromisoformat(until.replace("Z", "+00:00")).timestamp())
        kind = resources[resource]["uid"]["type"]
        request = {
            "principal": f'User::"{subject}"', "action": f'Action::"{action}"', "resource": f'{kind}::"{resource}"',
            "context": context,
        }
        found = cedarpy.is_authorized(request, CEDAR, [*users, *resources.values()])
        assert not found.diagnostics.errors, found.diagnostics.errors
        answers.append(found.decision == cedarpy.Decision.Allow)
    return answers


def by_rego(facts: dict[str, list[list[Any]]]) -> list[bool]:
    interpreter = regopy.Interpreter()
    interpreter.add_module("access", REGO)

    def named(relation: str, *columns: str) -> list[dict[str, Any]]:
        return [dict(zip(columns, row)) for row in facts[relation]]

    interpreter.add_data_json(json.dumps({
        "related": [{"subject": s, "relation": of[1:], "resource": to} for s, of, to in facts["related"]],
        "relation_allows": LEVELS,
        "parents": {resource: above(resource, facts)[1:2] for resource in RESOURCES},
        "kinds": dict(facts["resource"]),
        "role_member": named("role_member", "subject", "role"),
        "role_grant": named("role_grant", "role", "action", "kind"),
        # This interpreter of Rego reads no `Z`.
        "lent": [
            row | {"until": row["until"].replace("Z", "+00:00")}
            for row in named("lent", "subject", "action", "resource", "until")
        ],
        "held": [resource for [resource] in facts["held"]],
        "sensitive": [action for [action] in facts["sensitive"]],
    }))
    answers = []
    for subject, action, resource, age in questions():
        properties = {} if age is None else {"second_factor_at": shown_at(age)}
        interpreter.set_input({
            "subject": {"id": subject, "properties": properties}, "action": {"name": action}, "resource": {"id": resource},
        })
        answers.append(str(interpreter.query("data.access.permit")) != "undefined")
    return answers


@pytest.mark.parametrize("held", [[], ["plans"]])
def test_cedar_rego_and_hence_answer_alike(access: Service, held: list[str]) -> None:
    facts = known(held)
    wanted = by_hence(access, facts)
    assert 0 < sum(wanted) < len(wanted)
    for answers in (by_cedar(facts), by_rego(facts)):
        differing = [question for question, here, there in zip(questions(), wanted, answers) if here != there]
        assert not differing
