"""An agent in Python that lets hence decide: it asks before each tool call and reports after it.

    HENCE=target/debug/hence python3 examples/client.py [STORE]

Needs nothing but the standard library. Each line that goes to `hence decide --follow` is one transaction; the answer
is a line for each decision drawn or lapsed, and ends with a line that says `committed` or `error`.
"""

import json
import os
import subprocess
import sys
import tempfile

HENCE = os.environ.get("HENCE", "hence")


class Hence:
    """A `hence decide --follow` at work."""

    def __init__(self, store):
        self.store = store
        self.process = subprocess.Popen(
            [HENCE, "decide", "--follow", "--store", store, "--as", "client.py"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
        )

    def send(self, line):
        """Sends one line as it is; what changed, and the line that ends the answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        changes = []
        for answer in map(json.loads, self.process.stdout):
            if answer["change"] in ("committed", "error"):
                return changes, answer
            changes.append(answer)
        raise RuntimeError("hence ended")

    def tell(self, relation, *values):
        """Asserts a fact; the decisions drawn."""
        changes, end = self.send(json.dumps({relation: values}))
        if end["change"] == "error":
            raise ValueError(end["errors"][0]["message"])
        return [change for change in changes if change["change"] == "drawn"]

    def close(self):
        """Ends the stream; hence's exit status."""
        self.process.stdin.close()
        return self.process.wait()

    def why(self, decision):
        """The proof of a decision, as people read it."""
        command = [HENCE, "why", decision["id"], "--store", self.store]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout


# The exit status of a stream of which a line was refused.
REFUSED = 2


def main():
    with tempfile.TemporaryDirectory() as folder:
        hence = Hence(sys.argv[1] if len(sys.argv) > 1 else os.path.join(folder, "store"))
        hence.tell("now", "2026-02-10T09:00:00Z")
        for run, tool in enumerate(["web_search", "deploy"], start=1):
            verdicts = hence.tell("tool_call", f"call-{run}", tool)
            for verdict in verdicts:
                print(f"{verdict['relation']}: {verdict['because']}")
            if any(verdict["relation"] == "tool_allowed" for verdict in verdicts):
                hence.tell("tool_run", run, tool, "/marketing", False, "3s", "2026-02-10T09:00:01Z")
                hence.tell("error", f"run-{run}", 40)
                drawn = hence.tell("error_signal", f"run-{run}", "/timed_out")
        _, end = hence.send('{"error": ["no length"]}')
        print(f"a bad line: {end['errors'][0]['message']}")
        status = hence.close()
        print(hence.why(drawn[0]), end="")
        return 0 if status == REFUSED else 1


if __name__ == "__main__":
    sys.exit(main())
