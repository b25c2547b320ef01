#!/usr/bin/env python3
"""Records a coding session: does what it is told, and appends the call to LOG as a line of `recorded.jsonl`.

    record.py LOG shell       < COMMAND     # by bash, in the current folder
    record.py LOG shells      < COMMANDS    # a command a line, each a call of its own
    record.py LOG read PATH [FROM,TO]       # prints the file, or these lines of it
    record.py LOG write PATH  < CONTENT
    record.py LOG edit PATH   < OLD, a line `=======`, NEW

Only what a gate sees is kept: the tool, its arguments, whether it succeeded and how long it took; no output. Paths below the
current folder become relative, and tokens of `hence token` are left out.
"""

import json
import os
import re
import subprocess
import sys
import time

TOKEN = re.compile(r"hence_[0-9a-f]{8}_[0-9a-f]{64}")


def told(text):
    here = os.path.realpath(".")
    text = text.replace(here + "/", "").replace(here, ".")
    return TOKEN.sub("TOKEN", text)


def keep(log, call, ok, begun):
    call = {name: told(value) for name, value in call.items()}
    line = {**call, "ok": ok, "ms": round((time.time() - begun) * 1000)}
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def shell(log, command):
    begun = time.time()
    status = subprocess.run(["bash", "-c", command], check=False).returncode
    keep(log, {"tool": "shell", "command": command}, status == 0, begun)
    return status


def read(log, path, lines=None):
    begun, text = time.time(), None
    try:
        with open(path, encoding="utf-8") as file:
            text = file.readlines()
        first, last = map(int, lines.split(",")) if lines else (1, len(text))
        sys.stdout.writelines(text[first - 1:last])
    except OSError as error:
        print(error, file=sys.stderr)
    keep(log, {"tool": "read", "path": path}, text is not None, begun)
    return int(text is None)


def write(log, path, content):
    begun = time.time()
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    keep(log, {"tool": "write", "path": path, "content": content}, True, begun)
    return 0


def edit(log, path, both):
    begun = time.time()
    old, new = both.split("\n=======\n")
    new = new.removesuffix("\n")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    ok = text.count(old) == 1
    if ok:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
    else:
        print(f"{path}: found {text.count(old)} times, not once", file=sys.stderr)
    keep(log, {"tool": "edit", "path": path, "old": old, "new": new}, ok, begun)
    return int(not ok)


def main():
    log, tool, *rest = sys.argv[1:]
    if tool == "read":
        return read(log, *rest)
    said = sys.stdin.read()
    if tool == "shells":
        return max([shell(log, line) for line in said.splitlines() if line.strip()], default=0)
    if tool == "shell":
        return shell(log, said.removesuffix("\n"))
    return {"write": write, "edit": edit}[tool](log, rest[0], said)


if __name__ == "__main__":
    sys.exit(main())
