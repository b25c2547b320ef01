"""A script."""
import os as o, json
from urllib import parse
run = eval
def step(x: int) -> str:
    return f"{run(x)!r:>{10}}"
print(step("1"))
