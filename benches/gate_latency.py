"""What a hook costs, process start included: `python3 benches/gate_latency.py PROGRAM HOOK_LOAD [CALLS] [AT_ONCE] [COLD]`.

    cargo build --release --features server --bin hence --bin hence-hook --example hook_load
    python3 benches/gate_latency.py target/release/hence-hook target/release/examples/hook_load

PROGRAM is `hence-hook`, which `hence gate install` writes into the settings of hosts, or the `hence` beside it. HOOK_LOAD starts
it as hosts do; Python would take more of the same processors. Warm: the owner of the ledger runs. Cold: none does, so the hook
starts it, COLD times (300). Prints wall times (p50, p99), CALLS (10,000) AT_ONCE (8) side by side and a tenth of them one at a
time, and the processor time of hooks, owner and whoever starts them, which says more on a busy machine: 8 that ask without a
pause share its cores, and wait for each other.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time


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


def asked_by(load, hence, folder, first, calls, at_once):
    words = [load, hence, folder, str(first), str(calls), str(at_once)]
    said = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
    return said["took"], said["own"], said["hooks"]


def warm(load, hence, folder, first, calls, at_once):
    """So many ask side by side, each without a pause."""
    process = owner(folder)
    before = processor(process)
    took, own, hooks = asked_by(load, hence, folder, first, calls, at_once)
    owned = processor(process) - before
    show("warm, %s" % ("one at a time" if at_once == 1 else "%d at once" % at_once), took)
    each = (hooks / calls, owned / calls, own / calls)
    print("processor time a call: hook %.2f ms, owner %.2f ms, starting them %.2f ms" % each, flush=True)


def cold(load, hence, folder, calls):
    """Each starts the owner, which then ends."""
    took = []
    for number in range(calls):
        took += asked_by(load, hence, folder, number, 1, 1)[0]
        os.kill(owner(folder), signal.SIGTERM)
        while os.path.exists(os.path.join(folder, ".hence", "owner.sock")):
            time.sleep(0.005)
    show("cold", took)


def main():
    hence, load = (os.path.abspath(word) for word in sys.argv[1:3])
    calls, at_once, colds = (int(word) for word in (sys.argv[3:] + ["10000", "8", "300"][len(sys.argv) - 3:]))
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, "hence.toml"), "w").write('packs = ["gate"]\n')
        os.mkdir(os.path.join(folder, ".git"))
        cold(load, hence, folder, colds)
        asked_by(load, hence, folder, colds, 1, 1)
        warm(load, hence, folder, 1_000_000, calls // 10, 1)
        warm(load, hence, folder, 2_000_000, calls, at_once)
        os.kill(owner(folder), signal.SIGTERM)
        time.sleep(0.5)


if __name__ == "__main__":
    main()
