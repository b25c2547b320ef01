"""Runs the script of its first argument with the imports, builtins and helpers that it may have.

This is for scripts that were written in good faith: it tells at once what would not work. What keeps others in is the
confinement of the process.
"""
import builtins
import json
import sys
import time

ALLOWED = {
    "requests", "httpx", "json", "csv", "re", "datetime", "urllib.parse", "math", "statistics", "collections",
    "itertools", "textwrap", "string", "html",
}
REMOVED = ("open", "eval", "exec", "compile", "input", "breakpoint", "help", "exit", "quit")


def checked_import(name, globals=None, locals=None, fromlist=(), level=0):
    wanted = [name] if name in ALLOWED else [f"{name}.{part}" for part in fromlist or ()]
    if level != 0 or not wanted or any(part not in ALLOWED for part in wanted):
        raise ImportError(f"`{name}` may not be imported; a script may import {', '.join(sorted(ALLOWED))}")
    return builtins.__import__(name, globals, locals, fromlist, level)


def ask(request):
    print(json.dumps(request), flush=True)
    line = sys.stdin.readline()
    answer = json.loads(line) if line else {"error": "no answer came"}
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer


def http_get(url):
    return ask({"$get": url})["body"]


def http_post(url, data):
    return ask({"$post": url, "data": data if isinstance(data, str) else json.dumps(data)})["body"]


def db_query(relation):
    return ask({"$rows": relation})["rows"]


def fact(relation, **columns):
    print(json.dumps({relation: columns}))


def log(message):
    print(message, file=sys.stderr, flush=True)


def send_chat(space, message):
    fact("chat_message", space=space, message=message)


def send_email(to, subject, body):
    fact("email_message", to=to, subject=subject, body=body)


def begin():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    own = {name: value for name, value in vars(builtins).items() if name not in REMOVED}
    own["__import__"] = checked_import
    names = {
        "__builtins__": own, "__name__": "__main__", "decision": json.loads(sys.stdin.readline()),
        "http_get": http_get, "http_post": http_post, "db_query": db_query, "fact": fact, "send_chat": send_chat,
        "send_email": send_email, "log": log, "clock": time.monotonic,
    }
    exec(compile(text, "script", "exec"), names)


begin()
