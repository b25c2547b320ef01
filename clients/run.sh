#!/usr/bin/env bash
# The clients against a real hence, built with the features `server` and `gate`: `clients/run.sh`, with HENCE for its path. With
# HENCE_SLOW=1 also the adapters with the packages of their frameworks, and the types. What a registry does not give is skipped.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
HENCE=$(realpath "${HENCE:-$target/debug/hence}")
export HENCE ROOT=$root PYTHONDONTWRITEBYTECODE=1
slow=${HENCE_SLOW:-}
# hence warns of variables that are not its own.
unset HENCE_SLOW
work=$target/clients
mkdir -p "$work"
rm -rf "$work/src"
cp -r "$root/clients" "$work/src"
skip() { echo "skipped: the client for $1: $2"; }

python() {
    local venv=$work/venv
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null || { skip Python "no python3 from 3.10 on"; return; }
    python3 -m venv "$venv" > "$work/pip.log" 2>&1 || { skip Python "no venv"; return; }
    local packages=(-r "$work/src/python/requirements-test.txt") tests=(tests)
    if [ -z "$slow" ]; then
        mapfile -t packages < <(grep '^pytest==' "$work/src/python/requirements-test.txt")
        tests=(tests/test_book.py tests/test_http.py tests/test_local.py)
    fi
    "$venv/bin/pip" install -q --retries 1 "${packages[@]}" "$work/src/python" >> "$work/pip.log" 2>&1 ||
        { skip Python "the packages can't be installed; see $work/pip.log"; return; }
    cd "$work/src/python"
    rm -rf src build
    "$venv/bin/python" -m pytest -q -p no:cacheprovider "${tests[@]}"
    if [ -n "$slow" ]; then
        cd "$root/clients/python"
        "$venv/bin/mypy" --strict --cache-dir "$work/mypy" src tests
    fi
}

javascript() {
    command -v node > /dev/null || { skip JavaScript "no node"; return; }
    [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || { skip JavaScript "node is older than 20"; return; }
    cd "$work/src/js"
    if [ -z "$slow" ]; then
        node --test --test-reporter=dot test/http.test.js test/local.test.js
        return
    fi
    # Here, where the sources find them above their own folder, and the next run too.
    cp package.json "$work"
    (cd "$work" && npm install --fetch-retries 1 --no-package-lock --no-audit --no-fund --silent > npm.log 2>&1) ||
        { skip JavaScript "the packages can't be installed; see $work/npm.log"; return; }
    PATH=$work/node_modules/.bin:$PATH
    npm run --silent check
    node --test --test-reporter=spec test/*.test.js
    packed
}

# The package as others get it: a program in TypeScript finds the types of what it imports.
packed() {
    local archive
    archive=$(npm pack --silent --pack-destination "$work")
    mkdir -p "$work/consumer/node_modules/hence"
    tar xzf "$work/$archive" -C "$work/consumer/node_modules/hence" --strip-components 1
    cp test/consumer.ts "$work/consumer"
    echo '{"type": "module"}' > "$work/consumer/package.json"
    tsc --noEmit --strict --module nodenext --target es2022 --types node "$work/consumer/consumer.ts"
}

python
javascript
