"""The programs of `docs/clients.md` print what stands behind each line that prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import FIXTURE, HENCE, Service

ROOT = Path(os.environ.get("ROOT", Path(__file__).parents[3]))
PAGE = (ROOT / "docs/clients.md").read_text()
PROGRAMS = re.findall(r"(?ms)^```(python|javascript)\n(.*?)^```$", PAGE)


def wanted(text: str) -> list[str]:
    """What is printed, as the comments tell it; `…` stands for anything."""
    said = re.findall(r"(?m)(?:print|console\.log)\(.*\);?  ?(?:#|//) (.*)$", text)
    return [".*".join(re.escape(part) for part in line.split("…")) for line in said]


@pytest.mark.parametrize("language, text", PROGRAMS)
def test_each_program_prints_what_the_page_says(service: Service, gated: Path, language: str, text: str) -> None:
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("there is no node")
    (gated / "hence").symlink_to(HENCE)
    folder = service.folder if "Hence(" in text else gated
    if "Stream(" in text:
        folder = gated / "agent"
        folder.mkdir()
        (folder / "hence.toml").write_text((FIXTURE / "service/hence.toml").read_text())
    text = text.replace("http://127.0.0.1:7433", service.base)
    words, program = ([sys.executable], "program.py") if language == "python" else (["node"], "program.mjs")
    if language == "javascript":
        text = text.replace('"hence"', f'"{ROOT}/clients/js/src/index.js"')
    (folder / program).write_text(text)
    found = {"PATH": f"{gated}:{os.environ['PATH']}", "HENCE_TOKEN": service.tokens["pep"]}
    done = subprocess.run([*words, program], cwd=folder, env=os.environ | found, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    assert len(printed) == len(wanted(text)), done.stdout
    for line, pattern in zip(printed, wanted(text)):
        assert re.fullmatch(pattern, line), (line, pattern)


def test_the_page_has_programs_in_both_languages() -> None:
    assert {language for language, _ in PROGRAMS} == {"python", "javascript"}
