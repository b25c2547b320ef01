#!/usr/bin/env python3
"""A thousand listeners of `/v1/changes` through kills of the service: `HENCE_SLOW=1 tests/http/listeners.py HENCE [COUNT]`.

Each hears every transaction once and in order, whether it is the service or its own connection that is cut off; memory and
descriptors of the service don't grow from one half to the other.
"""

import json
import os
import random
import resource
import selectors
import socket
import sys
import threading
import time

from service import Service, load

PORT = int(os.environ.get("PORT", "7462"))
ROUNDS = int(os.environ.get("ROUNDS", "4"))
FACTS = 50


class Listener:
    def __init__(self, token):
        self.token, self.heard, self.stream, self.rest = token, [], None, b""
        self.twice = self.missed = 0

    def open(self, selector):
        last = self.heard[-1] if self.heard else 0
        self.stream, self.rest = socket.create_connection(("127.0.0.1", PORT), timeout=30), b""
        head = f"GET /v1/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\nLast-Event-ID: {last}\r\n\r\n"
        self.stream.sendall(head.encode())
        self.stream.setblocking(False)
        selector.register(self.stream, selectors.EVENT_READ, self)

    def close(self, selector):
        if self.stream:
            selector.unregister(self.stream)
            self.stream.close()
            self.stream = None

    def hear(self, selector):
        try:
            chunk = self.stream.recv(1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            return self.close(selector)
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"id: "):
                tx = int(line[4:])
                due = (self.heard[-1] if self.heard else 0) + 1
                self.twice += tx < due
                self.missed += tx > due
                self.heard.append(tx)


def main(hence, count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count * 3)), hard))
    service = Service(hence, PORT)
    service.start()
    token = service.token("many", "read,write")
    selector = selectors.DefaultSelector()
    listeners = [Listener(token) for _ in range(count)]
    held, last = [], 0
    for turn in range(ROUNDS):
        begun = time.time()
        writer = threading.Thread(target=write, args=(service, token, turn))
        writer.start()
        last += FACTS
        while writer.is_alive() or any(not one.heard or one.heard[-1] < last for one in listeners):
            for one in listeners:
                if one.stream is None:
                    one.open(selector)
            for key, _ in selector.select(0.5):
                key.data.hear(selector)
            # One in a hundred goes away and comes again.
            for one in random.sample(listeners, count // 100):
                if random.random() < 0.05:
                    one.close(selector)
            if time.time() - begun > 300:
                raise SystemExit(f"round {turn}: only {sum(one.heard[-1:] == [last] for one in listeners)} heard all")
        memory, files = service.held()
        held.append((memory, files))
        print(f"round {turn}: {count} listeners heard {FACTS} more transactions in {time.time() - begun:.1f} s; {memory} MiB, {files} descriptors, load average {load():.1f}")
        if turn % 2 == 1 and turn + 1 < ROUNDS:
            service.kill()
            for one in listeners:
                one.close(selector)
            service.start()
            print("killed and started again")
    wrong = sum(one.twice + one.missed for one in listeners)
    wrong += sum(one.heard != list(range(1, last + 1)) for one in listeners)
    service.kill()
    print(f"{wrong} faults")
    return 1 if wrong else 0


def write(service, token, turn):
    for at in range(FACTS):
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": f"{turn}-{at}"}
        while True:
            fact = json.dumps({"failed": [f"j{turn}-{at}", 1]})
            try:
                if service.ask("POST", "/v1/facts", fact, token, headers)[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.05)


if __name__ == "__main__":
    if not os.environ.get("HENCE_SLOW"):
        raise SystemExit(print("skipped: a thousand listeners take HENCE_SLOW=1") or 0)
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000))
