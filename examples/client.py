"""An agent in Python that lets hence decide: it asks before each tool call and reports after it.

    HENCE=target/debug/hence python3 examples/client.py [STORE]

`hence` here is the package of `clients/python`, which needs nothing but the standard library.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "clients/python/src"))

from hence import HenceError, Stream  # noqa: E402

HENCE = os.environ.get("HENCE", "hence")
# The exit status of a stream of which something was refused.
REFUSED = 2


def day(stream):
    """Calls two tools as far as they are allowed; the decision on what went wrong."""
    stream.decide([{"now": ["2026-02-10T09:00:00Z"]}])
    handled = None
    for run, tool in enumerate(["web_search", "deploy"], start=1):
        verdicts = stream.decide([{"tool_call": [f"call-{run}", tool]}])["changes"]
        for verdict in verdicts:
            print(f"{verdict['relation']}: {verdict['because']}")
        if any(verdict["relation"] == "tool_allowed" for verdict in verdicts):
            ran = {"tool_run": [run, tool, "/marketing", False, "3s", "2026-02-10T09:00:01Z"]}
            stream.decide([ran, {"error": [f"run-{run}", 40]}])
            handled = stream.decide([{"error_signal": [f"run-{run}", "/timed_out"]}])["changes"][0]
    return handled


def main():
    with tempfile.TemporaryDirectory() as folder:
        store = sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "store")
        stream = Stream(store, author="client.py", program=HENCE)
        handled = day(stream)
        try:
            stream.decide([{"error": ["no length"]}])
        except HenceError as error:
            print(f"a bad line: {error}")
        status = stream.close()
        sys.stdout.flush()
        subprocess.run([HENCE, "why", handled["id"], "--store", store], check=True)
        return 0 if status == REFUSED else 1


if __name__ == "__main__":
    sys.exit(main())
