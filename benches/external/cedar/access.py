#!/usr/bin/env python3
"""The question of `examples/http_load.rs` put to Cedar in process: `pip install cedarpy`, then `access.py [EVALUATIONS]`.

Cedar keeps nothing: each request brings the entities that it needs (user, document, folder), as its users do it, or all of them.
What is told is processor time, without HTTP.
"""

import json
import sys
import time

import cedarpy

POLICIES = """
permit (principal, action == Action::"read", resource) when { principal in resource.viewers };
permit (principal, action in [Action::"read", Action::"write", Action::"delete"], resource)
when { principal in resource.owners };
permit (principal, action == Action::"read", resource) when { principal in resource.folder.owners };
forbid (principal, action in [Action::"write", Action::"delete"], resource) when { resource.held };
"""
USERS = 1000


def user(number):
    return {"uid": {"type": "User", "id": f"user-{number}"}, "attrs": {}, "parents": []}


def reference(kind, name):
    return {"__entity": {"type": kind, "id": name}}


def folder(number):
    owners = [reference("User", f"user-{number}")]
    return {"uid": {"type": "Folder", "id": f"folder-{number}"}, "attrs": {"owners": owners}, "parents": []}


def record(number):
    attrs = {
        "viewers": [reference("User", f"user-{number * 7 % USERS}")],
        "owners": [],
        "held": False,
        "folder": reference("Folder", f"folder-{number % USERS}"),
    }
    return {"uid": {"type": "Document", "id": f"record-{number}"}, "attrs": attrs, "parents": []}


def asked(at):
    what = at % 3000
    # Every other one asks for what lies in their own folder.
    who = (what if at % 2 == 0 else at // 7) % USERS
    request = {
        "principal": f'User::"user-{who}"',
        "action": 'Action::"read"',
        "resource": f'Document::"record-{what}"',
        "context": {},
    }
    return request, json.dumps([user(who), record(what), folder(what % USERS)])


def measure(count, entities=None):
    begun, allowed = time.process_time(), 0
    for at in range(count):
        request, own = asked(at * 104_729)
        allowed += cedarpy.is_authorized(request, POLICIES, entities or own).allowed
    return (time.process_time() - begun) / count * 1e6, allowed


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    each, allowed = measure(count)
    print(f"cedarpy, 4 policies, the entities of the request: {each:.0f} us of processor an evaluation, {allowed} of {count} allowed")
    every = json.dumps([user(n) for n in range(USERS)] + [folder(n) for n in range(USERS)] + [record(n) for n in range(3000)])
    each, allowed = measure(20, every)
    print(f"cedarpy, 4 policies, all 5,000 entities with each request: {each:.0f} us, {allowed} of 20 allowed")


if __name__ == "__main__":
    main()
