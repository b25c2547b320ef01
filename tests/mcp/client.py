"""The official Python client over standard input and output and over HTTP, in both revisions: `client.py HENCE BASE TOKEN`."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

HENCE, BASE, TOKEN = sys.argv[1:]
ASKED = []


async def approve(context, params):
    """The person at the client."""
    ASKED.append(params.message)
    return ElicitResult(action="accept", content={"approved": True, "comment": "seen"})


def stdio(token=""):
    environment = {**os.environ, "HENCE_TOKEN": token}
    return StdioServerParameters(command=HENCE, args=["mcp", "--as", "agent-7"], env=environment)


def over_http():
    import httpx2

    return streamable_http_client(f"{BASE}/mcp", http_client=httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}))


def check(condition, what):
    if not condition:
        sys.exit(f"WRONG: {what}")


async def tools(client, name):
    """What every client does: list, ask, record, be denied, read."""
    listed = [tool.name for tool in (await client.list_tools()).tools]
    check(listed[:3] == ["decide", "query", "why"] and "assert_facts" in listed, f"{name}: tools are {listed}")
    again = [tool.name for tool in (await client.list_tools()).tools]
    check(listed == again, f"{name}: the order of the tools changes")

    facts = [{"tool_call": {"call": f"c-{name}", "tool": "web_search"}}]
    told = await client.call_tool("decide", {"facts": facts, "ask": 'tool_allowed("web_search")'})
    said = told.structured_content
    check(not told.is_error and said["decision"] is True and said["rule"], f"{name}: allowed, found {told}")
    denied = await client.call_tool("decide", {"ask": 'tool_allowed("shell")'})
    said = denied.structured_content
    check(not denied.is_error and said["decision"] is False and said["failed"], f"{name}: denied, found {denied}")
    why = await client.call_tool("why", {"fact": 'tool_allowed("web_search")'})
    check(why.structured_content["holds"] == 1, f"{name}: why, found {why}")
    wrong = await client.call_tool("query", {"body": "no_such_relation(X)"})
    check(wrong.is_error and "no_such_relation" in wrong.content[0].text, f"{name}: a fault, found {wrong}")
    rules = "input p(x: int).\nrelation q(x: int).\nq(X) :- p(X).\n"
    found = await client.call_tool("check_rules", {"rules": rules + "r(X) :- s(X).\n"})
    check(found.structured_content["ok"] is False, f"{name}: faulty rules, found {found}")
    ran = rules + 'test "q follows" { given p(1). expect q(1). }\n'
    found = await client.call_tool("test_rules", {"rules": ran})
    check(found.structured_content["passed"] == 1, f"{name}: a test, found {found}")

    schema = await client.read_resource("hence://schema")
    relations = {one["name"] for one in json.loads(schema.contents[0].text)["relations"]}
    check("tool_allowed" in relations, f"{name}: the schema")
    files = (await client.list_resources()).resources
    text = await client.read_resource(str(files[1].uri))
    check("relation" in text.contents[0].text or "input" in text.contents[0].text, f"{name}: rules")
    print(f"ok: {name}")


async def review(client, id):
    """An answer of the person at the client."""
    before = len(ASKED)
    told = await client.call_tool("review", {"id": id})
    return told, len(ASKED) - before


async def main():
    for mode in ["legacy", "auto", "2026-07-28"]:
        async with Client(stdio(), mode=mode) as client:
            await tools(client, f"stdio-{mode}")
        async with Client(over_http(), mode=mode) as client:
            await tools(client, f"http-{mode}")

    # An agent can't answer, whatever its client says; a person's token can.
    request = {"request": "more", "level": 2, "reason": "clean runs", "at": "2026-02-09T09:10:00Z"}
    async with Client(stdio(), elicitation_callback=approve) as client:
        await client.call_tool("assert_facts", {"facts": [{"escalation_request": request}]})
        waits = (await client.call_tool("list_reviews", {})).structured_content["reviews"]
        check([one["id"] for one in waits] == ["more"], f"what waits: {waits}")
        told, asked = await review(client, "more")
        check(told.is_error and asked == 0 and "token" in told.content[0].text, f"an agent's answer: {told}")
    async with Client(stdio(TOKEN), elicitation_callback=approve) as client:
        told, asked = await review(client, "more")
        check(not told.is_error and asked == 1, f"a person's answer: {told}")
        check(told.structured_content["approved"] is True and "clean runs" in ASKED[-1], f"{told} {ASKED}")
        waits = (await client.call_tool("list_reviews", {})).structured_content["reviews"]
        check(waits == [], f"nothing waits: {waits}")
    print("ok: reviews")


asyncio.run(main())
