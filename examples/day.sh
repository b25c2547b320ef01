#!/bin/sh
# A day of an agent, played against an owner of an empty ledger: `examples/day.sh [FOLDER]`.
#
# What happens comes from observers, from carriers, from the agent and from people; everything else follows. The model and
# the pager are scripted servers on this machine (`day/servers.rs`), and the wall clock is the one in the file `clock`, so
# that the day takes seconds. It runs the `hence` that is installed, or builds one.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
for needed in rustc python3; do
    command -v $needed > /dev/null || {
        echo "error: the day needs $needed: rustc builds its servers, and python3 runs the tool that the agent makes" >&2
        exit 1
    }
done
HENCE=${HENCE:-$(command -v hence || true)}
# The agent makes a tool, which is read before it is run.
if [ -z "$HENCE" ] || ! "$HENCE" --quiet observe source "$here/day/servers.rs" > /dev/null 2>&1; then
    cargo build --release --quiet --features scan --manifest-path "$here/../Cargo.toml"
    HENCE="${CARGO_TARGET_DIR:-$here/../target}/release/hence"
fi
export HENCE
folder=${1:-$(mktemp -d)}
if [ -e "$folder/.hence" ]; then
    echo "error: \`$folder\` holds a ledger already; a day begins in a folder without one" >&2
    exit 1
fi
mkdir -p "$folder"
cp -R "$here"/day/* "$folder"
cd "$folder"
export XDG_CONFIG_HOME="$PWD/config" HENCE_CLOCK="$PWD/clock"

hence() { "$HENCE" --quiet "$@"; }
say() { printf '\n## %s\n\n' "$*"; }
# Waits for a file that a process is to make.
await() {
    waited=0
    until [ -e "$1" ]; do
        waited=$((waited + 1))
        if [ $waited -gt 300 ] || ! kill -0 "$2" 2>/dev/null; then
            cat told.txt >&2
            exit 1
        fi
        sleep 0.1
    done
}
# A turn of its own comes after everything that is due.
settle() { [ ! -S .hence/owner.sock ] || hence status > status.txt; }
at() {
    settle
    printf '2026-03-02T%sZ\n' "$1" > clock.next
    mv clock.next clock
    settle
    say "$1: $2"
}

rustc --edition 2024 -O -o servers servers.rs
./servers . 2> told.txt &
servers=$!
owner=
trap 'kill $owner $servers 2>/dev/null || true' EXIT
await servers.txt $servers
sed "s/SERVERS/$(cat servers.txt)/" hence.toml > hence.next
mv hence.next hence.toml
head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' > reply.key

at 07:30:00 "an owner begins, on an empty ledger"
hence principal add ada --role reviewer
hence principal add agent --role agent --as ada
hence assert 'reviewer("ada")' --as ada
hence param set proposal_life=6h --as ada
hence assert 'schedule("report", "0 18 * * *", "Europe/Berlin")' 'automation("report", /cron, "the weekly report")' --as ada
"$HENCE" serve --quiet > decided.jsonl 2> told.txt &
owner=$!
await .hence/owner.sock $owner

at 08:00:00 "the agent asks for a level that it has not earned"
hence assert 'escalation_request("impatient", 2, "I know what I am doing", @2026-03-02T08:00:00Z)' --as agent
hence review reject impatient --reason "too early" --as ada

at 09:00:00 "a person proposes something that nobody will answer"
hence assert 'proposal("colours", /playbook_suggestion, 0.6, @2026-03-02T09:00:00Z)' --as ada

at 09:40:00 "the agent's log of its morning, and two calls that it would like to make"
hence observe tool-run morning.jsonl --into .hence --as agent
hence assert 'tool_call("c1", "web_search")' 'tool_call("c2", "draft_reply")' --as agent

at 09:45:00 "what the agent earned is offered to a reviewer, who approves"
hence derive tool_allowed tool_blocked
hence review list
hence review approve offer_escalation-bb4b9ef3 --as ada
hence derive tool_allowed tool_blocked

at 10:30:00 "a goal takes what no tool does; a model writes one, which is checked and registered"
hence assert --facts wanted.jsonl --as agent
settle
hence derive tool stage_passed

at 11:00:00 "its outputs miss pages: it is written again"
hence assert 'tool_expectation("crm_export", 300, 1m, "customers of a country")' --as ada
hence assert --facts export.jsonl --as agent
settle
hence assert --facts again.jsonl --as agent
settle
hence derive quality_issue version_run registered_version

at 11:10:00 "a plan meets an error that the agent can't mend"
hence assert --facts plan.jsonl --as agent
settle
cat work/retention.conf

at 12:00:00 "a payment that a guardrail stops; the pager is down"
hence observe event tickets.jsonl --into .hence --as agent
settle
hence outbox list
at 12:00:30 "the pager is still down"
hence outbox list
at 12:01:30 "the pager answers"
hence outbox list
approve=$(sed 's/.*"text":"Approve"[^}]*},"value":"\([^"]*\)".*/\1/' paged.jsonl)
hence review answer "$approve"
settle
hence derive block republished

at 15:00:00 "nobody answered the proposal of 09:00:00"
hence derive tell_expired

at 17:00:00 "the report is due, at 18:00 in Berlin"
settle
cat reports.jsonl

kill $owner
wait $owner
owner=

say "what the owner decided by itself, as each thing came"
cat decided.jsonl

say "the ledger"
hence verify

why() {
    say "why $*"
    hence why "$@" 2>&1
}
why 'refine_tool("crm_export", /pagination)' --depth 2
why 'tool("crm_export")' --depth 3
why 'handle_error("clean-up/1/1", _, _, _, _)'
why 'plan_outcome("clean-up", _)'
why 'deny_escalation("impatient", _)'
why 'escalate(_, _, _)' --depth 2
why 'tool_allowed("draft_reply")'
why 82.1
why 82.2 --depth 1
hence outbox show 82.2
why 91.2
why 'tell_expired("colours")'
why 'run_automation("report", _)'
