"""Runs scripts in DuckDB, each in a database of its own: JSON lines in, a JSON line for each out."""

import json
import sys

import duckdb


def run(script):
    """What becomes of a script: `equal`, or why it stops."""
    with duckdb.connect() as base:
        base.execute("SET threads = 1")
        said = None
        try:
            for statement in base.extract_statements(script):
                row = base.execute(statement).fetchone()
                said = row[0] if row and row[0] == "equal" else said
        except duckdb.Error as error:
            return str(error)
        return said or "no answer"


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps({"name": case["name"], "became": run(case["script"])}), flush=True)
