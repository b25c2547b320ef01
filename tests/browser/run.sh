#!/usr/bin/env bash
# The page in a real browser: `tests/browser/run.sh [HENCE]`, a hence built with the feature `server`. It needs node 20, a
# Chromium of Debian and two packages of the npm registry; where one can't be had it says so and is done.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
hence=$(realpath "${1:-$target/debug/hence}")
work=$target/browser
skip() { echo "skipped: the page in a browser: $*"; exit 0; }

command -v node > /dev/null || skip "no node"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || skip "node is older than 20"
find_chromium() { command -v chromium-headless-shell || command -v chromium || true; }
CHROMIUM=${CHROMIUM:-$(find_chromium)}
if [ -z "$CHROMIUM" ] && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ]; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends \
        chromium-headless-shell fonts-inter; } > /dev/null 2>&1 || true
    CHROMIUM=$(find_chromium)
fi
[ -n "$CHROMIUM" ] || skip "no Chromium"
mkdir -p "$work"
cp "$here/package.json" "$here/page.mjs" "$work"
(cd "$work" && npm install --no-audit --no-fund --silent > npm.log 2>&1) || skip "the packages can't be installed"

# A week of an agent, and what waits for a person after it.
folder=$(mktemp -d)
cp "$here/hence.toml" "$here/own.dl" "$folder"
cd "$folder"
export HENCE_CLOCK="$folder/clock" XDG_CONFIG_HOME="$folder/config"
at() { printf '2026-02-%sZ\n' "$1" > clock; }
say() { "$hence" --quiet "$@" > /dev/null; }
at 09T08:00:00
say assert 'reviewer("ada")' --as ada
say decide --facts "$root/facts/agent_week.jsonl" --as observer
at 09T09:12:00
say decide --facts "$root/facts/agent_waits.jsonl" --as agent
at 09T09:30:00
"$hence" serve --http 127.0.0.1:0 --budget 60s > decided.jsonl 2> told.txt &
owner=$!
trap 'kill $owner 2> /dev/null || true; wait $owner 2> /dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
    base=$(sed -n 's/.*answers HTTP at //p' told.txt | head -n 1)
    [ -n "$base" ] && break
    kill -0 $owner || { cat told.txt >&2; exit 1; }
    sleep 0.1
done
token=$("$hence" token create --as ada --scope read,write,admin 2> /dev/null)
cd "$work"
BASE=$base TOKEN=$token CHROMIUM=$CHROMIUM SHOTS=${SHOTS:-} node page.mjs
