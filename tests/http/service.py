"""A hence service for the scripts beside this file: started, killed, started again on the same ledger, asked."""

import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

RULES = """## A job that failed.
input failed(job: string, tries: int).
## Try it again.
decision retry(job: string).
@id(few_tries)
@because("{Job} was tried {Tries} times")
retry(Job) :- failed(Job, Tries), Tries < 3.
## Somebody asks.
input asked(user: string, action: string).
## Somebody was let go.
input let_go(user: string).
## Somebody may.
decision may(user: string, action: string).
@id(still_here)
@because("{User} was not let go")
may(User, Action) :- asked(User, Action), !let_go(User).
"""
SETTINGS = """rules = ["rules.dl"]
[authzen]
decision = "may(user = $subject.id, action = $action.name)"
facts = ["asked(user = $subject.id, action = $action.name)"]
[authzen.subject]
user = []
[authzen.action]
read = []
[authzen.resource]
thing = []
"""


class Service:
    """One ledger, and the process that serves it now."""

    def __init__(self, hence, port, clock=False):
        self.hence, self.port, self.process = str(Path(hence).resolve()), port, None
        self.folder = tempfile.TemporaryDirectory()
        self.dir = Path(self.folder.name)
        (self.dir / "rules.dl").write_text(RULES)
        (self.dir / "hence.toml").write_text(SETTINGS)
        self.env = {**os.environ, "XDG_CONFIG_HOME": str(self.dir / "config")}
        if clock:
            self.env["HENCE_CLOCK"] = str(self.dir / "clock")
            self.set_clock(time.time())
        self.lock, self.lives = threading.Lock(), 0

    def set_clock(self, seconds):
        text = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
        new = self.dir / "clock.new"
        new.write_text(text + "\n")
        new.rename(self.dir / "clock")

    def start(self, may_fail=False):
        """Starts it and waits until it is ready; whether it is, where it may fail for want of room."""
        words = [self.hence, "serve", "--http", f"127.0.0.1:{self.port}", "--budget", "2s", "--max-body", "65536"]
        with self.lock, open(self.dir / "told.txt", "ab") as told:
            self.process = subprocess.Popen(
                words, cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=told
            )
            self.lives += 1
        end = time.time() + 120
        while time.time() < end:
            if self.process.poll() is not None:
                if may_fail and "no space left" in (self.dir / "told.txt").read_text()[-2000:].lower():
                    return False
                raise SystemExit("the service ended by itself:\n" + (self.dir / "told.txt").read_text()[-2000:])
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return True
            except OSError:
                pass
            time.sleep(0.05)
        raise SystemExit("the service is never ready")

    def kill(self):
        with self.lock:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def token(self, name, scopes):
        words = [self.hence, "token", "create", "--as", name, "--scope", scopes]
        made = subprocess.run(words, cwd=self.dir, env=self.env, capture_output=True, text=True, check=True)
        return made.stdout.strip()

    def run(self, *words):
        done = subprocess.run([self.hence, *words], cwd=self.dir, env=self.env, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def ask(self, method, path, body=None, token=None, headers=None, timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            all_headers = dict(headers or {})
            if token:
                all_headers["Authorization"] = f"Bearer {token}"
            connection.request(method, path, body, all_headers)
            answer = connection.getresponse()
            text = answer.read()
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text.decode(errors="replace")

    def held(self):
        """Resident memory in MiB, and open descriptors, of the process that runs now."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return None
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return (int(found.group(1)) // 1024, files) if found else None


def load():
    return os.getloadavg()[0]
