#!/usr/bin/env bash
# Random requests of schemathesis by `docs/openapi.json` against a running service: `tests/http/schemathesis.sh [HENCE]`, a hence with the
# feature `server`. SEED and EXAMPLES, how many for each route, choose them. It takes some minutes; without the package it skips.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
hence=$(realpath "${1:-$target/debug/hence}")
work=$target/schemathesis
mkdir -p "$work"
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --retries 1 schemathesis==4.32.5; } > "$work/pip.log" 2>&1 ||
    { echo "skipped: schemathesis can't be installed; see $work/pip.log"; exit 0; }

folder=$(mktemp -d)
cp "$root/clients/fixture/service/hence.toml" "$folder"
# All shipped packs, so that each route has its relations.
sed -i '/^packs/d' "$folder/hence.toml"
cd "$folder"
export XDG_CONFIG_HOME="$folder/config"
"$hence" serve --http 127.0.0.1:0 --budget 200ms > decided.jsonl 2> told.txt &
owner=$!
trap 'kill $owner 2> /dev/null || true; wait $owner 2> /dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
    base=$(sed -n 's/.*answers HTTP at //p' told.txt | head -n 1)
    [ -n "$base" ] && break
    kill -0 $owner || { cat told.txt >&2; exit 1; }
    sleep 0.1
done
token=$("$hence" token create --as ada --scope decide,read,write,admin 2> /dev/null)
"$hence" --quiet assert 'reviewer("ada")' --as ada > /dev/null
SCHEMATHESIS_HOOKS=$here/schemathesis_hooks.py "$work/venv/bin/schemathesis" --config-file "$here/schemathesis.toml" \
    run "$root/docs/openapi.json" --url "$base" --header "Authorization: Bearer $token" --exclude-path /v1/changes \
    --phases examples,coverage,fuzzing --max-examples "${EXAMPLES:-50}" --seed "${SEED:-1}" --request-timeout 10 \
    --continue-on-failure --warnings off --no-color
kill -0 $owner
