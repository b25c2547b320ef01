"""How schemathesis sends JSON lines: a text as it is, anything else as JSON."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")
