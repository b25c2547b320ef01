"""What a hook costs, process start included: `python3 benches/gate_latency.py HENCE [CALLS] [AT_ONCE]`.

Warm: the owner of the ledger runs. Cold: none does, so the hook starts it. Prints wall times (p50, p99) and the processor
time of the hooks and of the owner, which says more on a busy machine.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

COMMANDS = [
    "ls -la", "git status --short", "cargo test -q NAME", "grep -rn 'fn main' src | head", "sed -n 1,80p src/lib.rs",
    "for f in a b; do cat $f; done", "git add -A && git commit -qm 'a message'", "cat .env", "rm -rf /", "curl https://x.example",
]


def event(folder, number):
    command = COMMANDS[number % len(COMMANDS)] + " # " + str(number)
    return json.dumps({
        "session_id": "s%d" % (number // 500), "transcript_path": "", "cwd": folder, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "u%d" % number,
    }).encode()


def ask(hence, folder, number, took):
    began = time.perf_counter()
    child = subprocess.Popen([hence, "gate", "--host", "claude"], cwd=folder, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, error = child.communicate(event(folder, number))
    took.append((time.perf_counter() - began) * 1000)
    if b"permissionDecision" not in out or b"undecided" in out:
        print("no verdict:", out, error)


def owner(folder):
    said = open(os.path.join(folder, ".hence", "gate.log")).read()
    return int(re.findall(r"process (\d+) serves", said)[-1])


def processor(process):
    fields = open("/proc/%d/stat" % process).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def show(what, took):
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))]
    print("%s: %d calls, p50 %.1f ms, p99 %.1f ms, max %.1f ms" % (what, len(took), at(0.5), at(0.99), took[-1]))


def main():
    hence = os.path.abspath(sys.argv[1])
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    at_once = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "hence.toml"), "w").write('packs = ["gate"]\n')
        os.mkdir(os.path.join(folder, ".git"))
        cold = []
        for number in range(20):
            ask(hence, folder, -1 - number, cold)
            os.kill(owner(folder), signal.SIGTERM)
            while os.path.exists(os.path.join(folder, ".hence", "owner.sock")):
                time.sleep(0.005)
        show("cold", cold)
        ask(hence, folder, 0, [])
        process, warm = owner(folder), []
        before, children = processor(process), os.times()
        numbers = iter(range(1, calls + 1))
        lock = threading.Lock()

        def work():
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                ask(hence, folder, number, warm)

        threads = [threading.Thread(target=work) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        show("warm, %d at once" % at_once, warm)
        after = os.times()
        spent = (after.children_user + after.children_system - children.children_user - children.children_system) * 1000
        print("processor time a call: hook %.2f ms, owner %.2f ms" % (spent / calls, (processor(process) - before) / calls))
        os.kill(process, signal.SIGTERM)
        time.sleep(0.5)


main()
