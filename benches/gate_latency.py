"""What a hook costs, process start included: `python3 benches/gate_latency.py PROGRAM [CALLS] [AT_ONCE]`.

PROGRAM is `hence-hook`, which `hence gate install` writes into the settings of hosts, or the `hence` beside it. Hooks are called as `hence gate install` has hosts call them. Warm: the owner of the ledger runs. Cold: none does, so the hook
starts it. Prints wall times (p50, p99), one at a time and AT_ONCE (8) side by side, and the processor time of hooks and owner,
which says more on a busy machine: 8 that ask without a pause share the cores of the machine, and wait for each other.
"""

import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
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


def ask(hence, folder, number):
    """Asks about a call; how many milliseconds that took."""
    words = [hence, "gate", "--host", "claude", "--store", os.path.join(folder, ".hence")]
    said, began = event(folder, number), time.perf_counter()
    (in_read, in_write), (out_read, out_write) = os.pipe(), os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, in_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1), (os.POSIX_SPAWN_DUP2, out_write, 2)]
    child = os.posix_spawn(hence, words, os.environ, file_actions=actions)
    os.close(in_read), os.close(out_write)
    os.write(in_write, said)
    os.close(in_write)
    out = os.read(out_read, 65536)
    os.waitpid(child, 0)
    took = (time.perf_counter() - began) * 1000
    os.close(out_read)
    if b"permissionDecision" not in out or b"undecided" in out:
        print("no verdict:", out)
    return took


def owner(folder):
    said = open(os.path.join(folder, ".hence", "gate.log")).read()
    return int(re.findall(r"process (\d+) serves", said)[-1])


def processor(process):
    fields = open("/proc/%d/stat" % process).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def show(what, took):
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))]
    load = os.getloadavg()[0]
    print("%s: %d calls, p50 %.1f ms, p99 %.1f ms, max %.1f ms; load average %.1f" % (what, len(took), at(0.5), at(0.99), took[-1], load))


def work(hence, folder, numbers, told):
    took = [ask(hence, folder, number) for number in numbers]
    spent = os.times()
    told.put((took, spent.children_user + spent.children_system))


def warm(hence, folder, numbers, at_once):
    """So many ask side by side, each without a pause."""
    process, told = owner(folder), multiprocessing.Queue()
    before, took, spent = processor(process), [], 0
    workers = [multiprocessing.Process(target=work, args=(hence, folder, numbers[at::at_once], told)) for at in range(at_once)]
    for worker in workers:
        worker.start()
    for _ in workers:
        own, seconds = told.get()
        took += own
        spent += seconds * 1000
    for worker in workers:
        worker.join()
    owned = processor(process) - before
    show("warm, %s" % ("one at a time" if at_once == 1 else "%d at once" % at_once), took)
    print("processor time a call: hook %.2f ms, owner %.2f ms" % (spent / len(numbers), owned / len(numbers)))


def main():
    hence = os.path.abspath(sys.argv[1])
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    at_once = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "hence.toml"), "w").write('packs = ["gate"]\n')
        os.mkdir(os.path.join(folder, ".git"))
        cold = []
        for number in range(20):
            cold.append(ask(hence, folder, -1 - number))
            os.kill(owner(folder), signal.SIGTERM)
            while os.path.exists(os.path.join(folder, ".hence", "owner.sock")):
                time.sleep(0.005)
        show("cold", cold)
        ask(hence, folder, 0)
        warm(hence, folder, range(1, calls // 10 + 1), 1)
        warm(hence, folder, range(calls, 2 * calls), at_once)
        os.kill(owner(folder), signal.SIGTERM)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
