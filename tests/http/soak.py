#!/usr/bin/env python3
"""The service for a while under everything at once: `HENCE_SLOW=1 tests/http/soak.py HENCE`, SECONDS (600) by that variable.

Writers with keys, who assert facts and later retract them; askers, listeners that come again, somebody who is let go and must
never be permitted afterwards; slow and half-open connections, bodies that are too long or no JSON; the clock steps back and
forth; the service is killed at random. With `DISK=MIB`, as root, the ledger lies on a disk of that size of its own, which is full
now and then.

At the end every acknowledged transaction is in the ledger under its number, every fact stands that was not retracted, none that
was, and each listener heard each transaction once and in order. The verdict is the end of the output, and the exit status.
"""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time

from service import Service, load

SECONDS = float(os.environ.get("SECONDS", "600"))
PORT = int(os.environ.get("PORT", "7461"))
BUDGET = 2.0
DISK = int(os.environ.get("DISK", "0"))
# How long everybody waits between two requests; without it, the ledger of an hour has millions of transactions.
PAUSE = float(os.environ.get("PAUSE", "0"))
# How many facts of a writer stand at a time.
KEPT = 200
# A budget counts on the side of the service; so much may pass on the way on a busy machine.
SLACK = 3.0


class Soak:
    def __init__(self, hence):
        self.service = Service(hence, PORT, clock=True)
        self.until = time.time() + SECONDS
        self.lock = threading.Lock()
        self.acknowledged, self.standing, self.retracted = {}, set(), set()
        self.wrong, self.counts, self.held = [], {}, []
        self.found, self.lost, self.late = 0, 0, 0
        self.disk = self.mount() if DISK else None
        self.heard = {}
        self.stop = threading.Event()

    def mount(self):
        """A disk of its own for the ledger."""
        folder = self.service.dir / ".hence"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "tmpfs", folder], check=True)
        return folder

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + by

    def fault(self, text):
        with self.lock:
            self.wrong.append(text)

    def goes_on(self):
        return time.time() < self.until

    def record(self, fact, key):
        """Records a fact under a key until it is acknowledged; the transaction."""
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": key}
        while True:
            try:
                status, answer = self.service.ask("POST", "/v1/facts", json.dumps(fact), self.token, headers)
            except OSError:
                self.count("broken off")
                time.sleep(0.1)
                continue
            if status == 200:
                self.count("recorded")
                self.count("repeated", 1 if answer.get("repeated") else 0)
                return answer["committed"]
            if status not in (500, 503):
                self.fault(f"a fact got {status}: {answer}")
                return None
            self.count(f"write {status}")
            time.sleep(0.05)

    def writer(self, number):
        at = 0
        while self.goes_on():
            name = f"w{number}-{at}"
            tx = self.record({"failed": [name, 1]}, name)
            with self.lock:
                self.acknowledged[name] = tx
                self.standing.add(name)
            if at >= KEPT:
                self.take_back(f"w{number}-{at - KEPT}")
            at += 1
            time.sleep(PAUSE)

    def take_back(self, name):
        key = f"{name}-again"
        tx = self.record({"retract": {"failed": [name, 1]}}, key)
        with self.lock:
            self.acknowledged[key] = tx
            self.standing.discard(name)
            self.retracted.add(name)

    def evaluate(self, user):
        body = {
            "subject": {"type": "user", "id": user},
            "action": {"name": "read"},
            "resource": {"type": "thing", "id": "t"},
        }
        begun = time.time()
        status, answer = self.service.ask(
            "POST", "/access/v1/evaluation", json.dumps(body), self.token, {"Content-Type": "application/json"}
        )
        took = time.time() - begun
        if status == 200 and answer["decision"] and took > BUDGET + SLACK:
            self.late += 1
            self.fault(f"permitted after {took:.1f} s")
        self.count(f"evaluation {status}")
        return answer["decision"] if status == 200 else None

    def asker(self, number):
        while self.goes_on():
            try:
                if self.evaluate(f"steady-{number}") is False:
                    self.fault(f"steady-{number} was denied")
            except OSError:
                time.sleep(0.1)
            time.sleep(PAUSE)

    def leaver(self, number):
        """Somebody who is let go, and from the acknowledgement on never permitted."""
        at = 0
        while self.goes_on():
            user = f"leaver-{number}-{at}"
            self.record({"let_go": [user]}, user)
            for _ in range(5):
                try:
                    if self.evaluate(user):
                        self.late += 1
                        self.fault(f"{user} was permitted after that they were let go")
                except OSError:
                    time.sleep(0.1)
            at += 1
            time.sleep(PAUSE)

    def listener(self, number):
        last, heard = 0, []
        self.heard[number] = heard
        while not self.stop.is_set():
            try:
                last = self.listen(last, heard)
            except OSError:
                time.sleep(0.2)

    def listen(self, last, heard):
        with socket.create_connection(("127.0.0.1", PORT), timeout=20) as stream:
            head = f"GET /v1/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\nLast-Event-ID: {last}\r\n\r\n"
            stream.sendall(head.encode())
            lines = stream.makefile("rb")
            while not self.stop.is_set():
                line = lines.readline()
                if not line:
                    return last
                if line.startswith(b"id: "):
                    last = int(line[4:])
                    heard.append(last)
        return last

    def nuisance(self):
        """Connections that say little, nothing or nonsense."""
        kept = []
        while self.goes_on():
            try:
                self.misbehave(kept)
            except OSError:
                pass
            while len(kept) > 60:
                kept.pop(0).close()
            time.sleep(0.05)
        for stream in kept:
            stream.close()

    def misbehave(self, kept):
        kind = random.randrange(6)
        if kind < 2:
            stream = socket.create_connection(("127.0.0.1", PORT), timeout=5)
            kept.append(stream)
            if kind == 1:
                # The head of a request, and then nothing for as long as it is kept.
                stream.sendall(b"POST /v1/facts HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n")
            self.count("half open")
            return
        if kind == 2:
            status, _ = self.service.ask(
                "POST", "/v1/facts", "x" * 100_000, self.token, {"Content-Type": "application/x-ndjson"}
            )
            expected = (413, 503)
        elif kind == 3:
            body = "{" * random.randrange(1, 2000)
            status, _ = self.service.ask(
                "POST", "/v1/decide", body, self.token, {"Content-Type": "application/json"}
            )
            expected = (400, 422, 503)
        elif kind == 4:
            body = bytes(random.randrange(256) for _ in range(500))
            status, _ = self.service.ask(
                "POST", "/access/v1/evaluation", body, self.token, {"Content-Type": "application/json"}
            )
            expected = (400, 503)
        else:
            with socket.create_connection(("127.0.0.1", PORT), timeout=5) as stream:
                stream.sendall(bytes(random.randrange(256) for _ in range(300)) + b"\r\n\r\n")
                stream.recv(1000)
            self.count("no HTTP at all")
            return
        self.count(f"nonsense {status}")
        if status not in expected:
            self.fault(f"nonsense of kind {kind} got {status}")

    def clock(self):
        """Steps up to an hour back and a day forth."""
        now = time.time()
        while self.goes_on():
            now += random.choice([1, 1, 1, 30, 3600, 86400, -60, -3600])
            self.service.set_clock(now)
            self.count("clock steps")
            time.sleep(1)

    def fill(self):
        """Fills the disk to its end for some seconds, now and then; what is said meanwhile is not acknowledged."""
        filler = self.disk / "filler"
        while self.goes_on():
            time.sleep(random.uniform(10, 30))
            with open(filler, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                except OSError:
                    self.count("times that the disk was full")
            time.sleep(random.uniform(2, 8))
            filler.unlink()

    def watch(self):
        while self.goes_on():
            held = self.service.held()
            if held:
                self.held.append((time.time(), self.service.lives, *held))
            time.sleep(2)

    def run(self):
        random.seed(int(os.environ.get("SEED", "1")))
        self.service.start()
        self.token = self.service.token("soak", "decide,read,write")
        jobs = [(self.writer, n) for n in range(4)] + [(self.asker, n) for n in range(3)]
        jobs += [(self.leaver, n) for n in range(2)]
        threads = [threading.Thread(target=job, args=(n,)) for job, n in jobs]
        threads += [threading.Thread(target=job) for job in (self.nuisance, self.clock, self.watch)]
        threads += [threading.Thread(target=self.fill)] if self.disk else []
        listeners = [threading.Thread(target=self.listener, args=(n,)) for n in range(3)]
        for thread in threads + listeners:
            thread.start()
        while self.goes_on():
            time.sleep(random.uniform(3, 15))
            self.service.kill()
            while not self.service.start(may_fail=bool(self.disk)):
                self.count("starts without room")
                time.sleep(1)
            self.count("kills")
        for thread in threads:
            thread.join()
        return self.judge(listeners)

    def judge(self, listeners):
        last = self.last()
        end = time.time() + 120
        while time.time() < end and any(not heard or heard[-1] < last for heard in self.heard.values()):
            time.sleep(0.2)
        self.stop.set()
        for number, heard in self.heard.items():
            if heard != list(range(1, last + 1)):
                missed = len(set(range(1, last + 1)) - set(heard))
                self.fault(f"listener {number} missed {missed} of {last}, and heard {len(heard) - len(set(heard))} twice")
        code, rows, said = self.service.run("query", "failed(Job, _)", "--format", "jsonl")
        stands = {json.loads(row)["Job"] for row in rows.splitlines()}
        lost, back = self.standing - stands, self.retracted & stands
        self.lost += len(lost)
        if code or lost or back:
            self.fault(f"{len(lost)} acknowledged facts are lost, {len(back)} stand again: {list(lost | back)[:5]} {said}")
        self.service.kill()
        self.judge_log()
        for thread in listeners:
            thread.join()
        code, _, said = self.service.run("verify")
        if code:
            self.fault(f"the ledger does not verify: {said}")
        self.report(last)
        if self.disk:
            subprocess.run(["umount", self.disk], check=False)
        return 1 if self.wrong else 0

    def last(self):
        """The last transaction; a reader of a long ledger has yet to begin where the service was killed a moment ago."""
        end = time.time() + 300
        while time.time() < end:
            try:
                status, answer = self.service.ask("GET", "/v1/status", token=self.token)
                if status == 200:
                    return answer["tx"]
            except OSError:
                pass
            time.sleep(0.5)
        self.fault("the service does not tell its last transaction")
        return 0

    def judge_log(self):
        """Whether each acknowledged transaction has its number in the ledger, and no key has two."""
        code, rows, said = self.service.run("log", "--format", "jsonl")
        found = {}
        for row in map(json.loads, rows.splitlines()):
            words = row["source"].split()
            if len(words) == 3:
                found.setdefault(words[1], []).append(row["transaction"])
        wrong = [key for key, tx in self.acknowledged.items() if found.get(key) != [tx]]
        self.found, self.lost = len(self.acknowledged) - len(wrong), self.lost + len(wrong)
        if code or wrong:
            self.fault(f"{len(wrong)} acknowledged transactions are lost or there twice: {wrong[:5]} {said}")

    def report(self, last):
        print(f"{SECONDS:.0f} s, {last} transactions, load average {load():.1f}")
        print(", ".join(f"{what} {count}" for what, count in sorted(self.counts.items())))
        for at in range(0, len(self.held), 300):
            rows = self.held[at:at + 300]
            memory, files = max(row[2] for row in rows), max(row[3] for row in rows)
            print(f"after {rows[0][0] - self.held[0][0]:.0f} s: at most {memory} MiB resident, {files} descriptors")
        for text in self.wrong[:20]:
            print(f"WRONG: {text}")
        print(f"transactions of writers acknowledged {len(self.acknowledged)}, found {self.found}, lost {self.lost}")
        print(f"late allows {self.late}")
        if self.held:
            memory = [row[2] for row in self.held]
            lives = {row[1]: row[2] for row in self.held}
            print(f"memory: {memory[0]} MiB at the start, {max(memory)} at its peak, {lives[max(lives)]} at the end")
        told = {"kills": "kills", "clock steps": "clock steps", "times that the disk was full": "disk full"}
        print(", ".join(f"{name} {self.counts.get(what, 0)}" for what, name in told.items()))
        print("PASSED" if not self.wrong else f"FAILED: {len(self.wrong)} faults")


if __name__ == "__main__":
    if not os.environ.get("HENCE_SLOW"):
        raise SystemExit(print("skipped: the soak takes HENCE_SLOW=1") or 0)
    sys.exit(Soak(sys.argv[1]).run())
