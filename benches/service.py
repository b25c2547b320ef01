#!/usr/bin/env python3
"""The service under load: `python3 benches/service.py HENCE HTTP_LOAD [OPTION...]`.

    cargo build --release --features server --bin hence --example http_load
    python3 benches/service.py target/release/hence target/release/examples/http_load --json benches/results/service.jsonl

With `--peers PROGRAM`, of `external/http-peers/`, Cedar and Rego answer some of the questions in the same turns, behind the same kind of
HTTP: unrecorded, without tokens and sentences, by four policies that say what the rules say of these facts.
`external/cedar/access.py` puts them to Cedar in process.

AuthZEN evaluations over 64 connections, client included on the same machine. Each row is a run of `--seconds` after one second
of warming, cases taking turns, `--runs` times. `--only TEXT` runs the cases whose name holds it; `--facts N` names the sizes.
Processor time is user and system of the service's process divided by the requests that it answered, and hardly depends on
what else runs. Rows go to the file as they come; the table at the end has medians, with the least and the largest.
"""

import argparse
import http.client
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ACCESS = HERE.parent / "examples" / "access" / "rules" / "access.dl"
SETTINGS = """rules = [{rules}]
[authzen]
decision = "allow(request = $context.request, subject = $subject.id, action = $action.name, resource = $resource.id)"
facts = ["asked(request = $context.request, subject = $subject.id, action = $action.name, resource = $resource.id)"]
record = {record}
[authzen.subject]
user = ["role_member(subject = $subject.id, role = $subject.properties.role)"]
"""
# Users and records of `http_load --facts`: two facts a user, three a record.
SIZES = {10_000: (1_000, 2_667), 1_000_000: (100_000, 266_667)}
# What is asked beside the plain questions: a name, options of the client, rules, whether it is recorded.
CASES = [
    ("unrecorded, 10,000 asked a second", ["--rate", "10000"], 52, False),
    ("recorded, 3,000 asked a second", ["--rate", "3000"], 52, True),
    ("recorded, 3,000 asked a second, 100 facts a second beside", ["--rate", "3000", "--writer", "100"], 52, True),
    ("unrecorded, 2,000 asked a second", ["--rate", "2000"], 52, False),
    ("unrecorded, 2,000 asked a second, a slow question beside", ["--rate", "2000", "--slow"], 52, False),
    ("unrecorded", [], 24, False),
    ("unrecorded", [], 52, False),
    ("unrecorded, 100 facts a second beside", ["--writer", "100"], 52, False),
    ("recorded", [], 24, True),
    ("recorded", [], 52, True),
    ("recorded, 100 facts a second beside", ["--writer", "100"], 52, True),
    ("one fact a request, each under a key", ["--write", "--keyed"], 52, False),
]
# How many questions are put to all before anything is measured.
ASKED = 600
# What peers are asked too.
PEER_CASES = [("unrecorded, 10,000 asked a second", ["--rate", "10000"]), ("unrecorded", [])]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Peer:
    """A process that answers at a port."""

    def __init__(self, command, folder, port, ready):
        self.log = open(pathlib.Path(folder) / "service.log", "ab")
        self.port, begun = port, time.time()
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=self.log)
        while not ready():
            if self.process.poll() is not None:
                sys.exit(f"{command[0]} ended: {(pathlib.Path(folder) / 'service.log').read_text()[-2000:]}")
            time.sleep(0.05)
        self.began = time.time() - begun

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) // 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def connects(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def is_ready(port):
    if not connects(port):
        return False
    with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
        stream.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return stream.recv(100).startswith(b"HTTP/1.1 200")


def permitted(peer, token, users):
    """What is permitted of some questions: of documents in folders of one's own, shared, and of others."""
    connection, told = http.client.HTTPConnection("127.0.0.1", peer.port), []
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for number in range(ASKED):
        record = number % users[1]
        user = (record, record * 7, record + 1)[number % 3] % users[0]
        question = {
            "subject": {"type": "user", "id": f"user-{user}", "properties": {"role": "guest"}},
            "action": {"name": ("read", "write")[number % 2]},
            "resource": {"type": "document", "id": f"record-{record}"}, "context": {"request": f"asked-{number}"},
        }
        connection.request("POST", "/access/v1/evaluation", json.dumps(question), headers)
        told.append(json.loads(connection.getresponse().read())["decision"])
    connection.close()
    return told


class Other:
    """A policy engine behind HTTP, over the same facts."""

    def __init__(self, program, engine, folder):
        self.program, self.engine, self.folder = program, engine, folder
        self.token = "none"

    def start(self):
        port = free_port()
        command = [self.program, self.engine, "facts.jsonl", f"127.0.0.1:{port}"]
        return Peer(command, self.folder, port, lambda: is_ready(port))


class Hence:
    """A ledger of so many facts, kept for all cases; each service works on a copy of it."""

    def __init__(self, hence, load, folder, size):
        self.hence, self.folder, self.size = hence, pathlib.Path(folder), size
        users, records = SIZES[size]
        self.facts = self.folder / "facts.jsonl"
        with open(self.facts, "wb") as file:
            subprocess.run([load, "--facts", str(users), str(records)], stdout=file, check=True)
        self.write(24, False)
        self.run("assert", "--facts", "facts.jsonl")
        self.token = self.run("token", "create", "--as", "load", "--scope", "decide,read,write").strip().split()[-1]
        shutil.copytree(self.folder / ".hence", self.folder / "whole")

    def run(self, *words):
        return subprocess.run(
            [self.hence, *words], cwd=self.folder, stdout=subprocess.PIPE, check=True, text=True
        ).stdout

    def write(self, rules, record):
        more = ["access_24.dl"] + (["access_52.dl"] if rules == 52 else [])
        paths = [ACCESS, *(HERE / "rules" / name for name in more)]
        quoted = ", ".join(f'"{os.path.relpath(path, self.folder)}"' for path in paths)
        text = SETTINGS.format(rules=quoted, record=str(record).lower())
        (self.folder / "hence.toml").write_text(text)

    def start(self, rules, record):
        self.write(rules, record)
        shutil.rmtree(self.folder / ".hence")
        shutil.copytree(self.folder / "whole", self.folder / ".hence")
        # Else the first syncs of the service wait for the copy.
        os.sync()
        port = free_port()
        command = [self.hence, "serve", "--http", f"127.0.0.1:{port}"]
        return Peer(command, self.folder, port, lambda: is_ready(port))


def measure(load, peer, token, users, options, seconds):
    command = [load, f"127.0.0.1:{peer.port}", token, "--pid", str(peer.process.pid), "--json"]
    command += ["--users", str(users[0]), "--records", str(users[1]), *options]
    subprocess.run([*command, "--seconds", "1"], stdout=subprocess.DEVNULL, check=True)
    told = subprocess.run([*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, check=True)
    return json.loads(told.stdout)


def cases_of(options, size):
    for name, more, rules, record in CASES:
        whole = f"{name}, {rules} rules, {size} facts"
        is_asked = not options.peers or rules == 52 and name in [peer for peer, _ in PEER_CASES]
        if is_asked and options.only in whole:
            yield whole, more, rules, record


def compare(options, store, folder, size):
    """Ends where peers permit something else."""
    peer = store.start(52, False)
    told = permitted(peer, store.token, SIZES[size])
    peer.stop()
    for engine in ("cedar", "rego"):
        other = Other(options.peers, engine, folder).start()
        if permitted(other, "none", SIZES[size]) != told:
            sys.exit(f"{engine} permits something else over {size} facts")
        other.stop()
    print(f"{size} facts: {sum(told)} of {len(told)} questions permitted by all")


def run_peers(options, keep, folder, size, number):
    for engine in ("cedar", "rego") if options.peers else ():
        other = Other(options.peers, engine, folder)
        for name, more in PEER_CASES:
            whole = f"{name}, {size} facts"
            if options.only in whole:
                peer = other.start()
                row = measure(options.load, peer, other.token, SIZES[size], more, options.seconds)
                keep({"peer": engine, "case": whole, "run": number, **row, "mb": peer.resident(),
                      "start_s": round(peer.began, 2)})
                peer.stop()


def run(options, keep):
    for size in options.facts:
        users = SIZES[size]
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            store = Hence(options.hence, options.load, folder, size)
            if options.peers:
                compare(options, store, folder, size)
            for number in range(options.runs):
                for name, more, rules, record in cases_of(options, size):
                    peer = store.start(rules, record)
                    row = measure(options.load, peer, store.token, users, more, options.seconds)
                    keep({"peer": "hence", "case": name, "run": number, **row, "mb": peer.resident(),
                          "start_s": round(peer.began, 2)})
                    peer.stop()
                run_peers(options, keep, folder, size, number)


def table(rows):
    by_case = {}
    for row in rows:
        by_case.setdefault((row["case"], row["peer"]), []).append(row)
    print("| case | a second | p50 ms | p99 ms | processor µs a request | MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (case, peer), all_runs in by_case.items():
        def cell(name, digits):
            values = sorted(row[name] for row in all_runs)
            return f"{statistics.median(values):.{digits}f} [{values[0]:.{digits}f} {values[-1]:.{digits}f}]"
        print(f"| {peer}: {case} | {cell('rate', 0)} | {cell('p50', 2)} | {cell('p99', 2)} | {cell('cpu_us', 0)} | {cell('mb', 0)} |")


def ratios(rows):
    """hence beside each peer, run by run: processor time, and requests answered."""
    found = {(row["peer"], row["case"], row["run"]): row for row in rows}
    beside = {}
    for (peer, case, number), row in found.items():
        name, size = case.rsplit(", ", 1)
        own = found.get(("hence", f"{name}, 52 rules, {size}", number))
        if peer != "hence" and own:
            beside.setdefault((peer, case), []).append((own["cpu_us"] / row["cpu_us"], own["rate"] / row["rate"]))
    for (peer, case), all_runs in beside.items():
        for name, values in zip(("processor time", "answered"), map(sorted, zip(*all_runs))):
            print(f"hence / {peer}, {case}: {name} {statistics.median(values):.2f} [{values[0]:.2f} {values[-1]:.2f}]")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hence", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("load", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--facts", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("--peers", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--folder", help="where ledgers are kept meanwhile")
    options = parser.parse_args()
    rows = []

    def keep(row):
        rows.append(row)
        print(json.dumps(row), flush=True)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

    run(options, keep)
    table(rows)
    ratios(rows)


if __name__ == "__main__":
    main()
