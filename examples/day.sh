#!/bin/sh
# A day of an agent, played against an owner of an empty ledger: `examples/day.sh [FOLDER]`.
#
# What happens comes from observers, from the agent and from people; everything else follows. The wall clock is the one in
# the file `clock`, so that the day takes seconds. It runs the `hence` that is installed, or builds one.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
HENCE=${HENCE:-$(command -v hence || true)}
if [ -z "$HENCE" ]; then
    cargo build --release --quiet --manifest-path "$here/../Cargo.toml"
    HENCE="${CARGO_TARGET_DIR:-$here/../target}/release/hence"
fi
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
cp "$here"/day/* "$folder"
cd "$folder"
export XDG_CONFIG_HOME="$PWD/config" HENCE_CLOCK="$PWD/clock"

hence() { "$HENCE" --quiet "$@"; }
say() { printf '\n## %s\n\n' "$*"; }
# A turn of its own comes after everything that is due.
settle() { [ ! -S .hence/owner.sock ] || hence status > status.txt; }
at() {
    settle
    printf '2026-03-02T%sZ\n' "$1" > clock.next
    mv clock.next clock
    settle
    say "$1: $2"
}

at 07:30:00 "an owner begins, on an empty ledger"
hence principal add ada --role reviewer
hence principal add agent --role agent --as ada
hence assert 'reviewer("ada")' --as ada
hence param set proposal_life=6h --as ada
hence assert 'schedule("report", "0 18 * * *", "Europe/Berlin")' 'automation("report", /cron, "the weekly report")' --as ada
"$HENCE" serve --quiet > decided.jsonl 2> told.txt &
owner=$!
trap 'kill $owner 2>/dev/null || true' EXIT
waited=0
until [ -S .hence/owner.sock ]; do
    waited=$((waited + 1))
    if [ $waited -gt 300 ] || ! kill -0 $owner 2>/dev/null; then
        cat told.txt >&2
        exit 1
    fi
    sleep 0.1
done

at 08:00:00 "the agent asks for a level that it has not earned"
hence assert 'escalation_request("impatient", 2, "I know what I am doing", @2026-03-02T08:00:00Z)' --as agent
hence review reject impatient --reason "too early" --as ada

at 09:00:00 "a person proposes something that nobody will answer"
hence assert 'proposal("colours", /playbook_suggestion, 0.6, @2026-03-02T09:00:00Z)' --as ada

at 09:40:00 "the morning's runs, and what the agent says of its sessions"
hence observe tool-run morning.jsonl --into .hence --as agent
hence assert --facts sessions.jsonl --as agent

at 09:45:00 "what the agent earned is offered to a reviewer, who approves"
hence derive tool_allowed tool_blocked
hence review list
hence review approve offer_escalation-bb4b9ef3 --as ada
hence derive tool_allowed tool_blocked

at 11:00:00 "the runs of a tool that misses pages, and what a judge thinks of them"
hence observe tool-run export.jsonl --into .hence --as agent
hence assert --facts judged.jsonl --as judge

at 11:10:00 "a plan meets an error that the agent can't mend"
hence assert --facts plan.jsonl --as agent

at 12:00:00 "a payment that a guardrail stops; the pager is down"
hence observe event tickets.jsonl --into .hence --as agent
settle
hence outbox list
at 12:00:30 "the pager is still down"
hence outbox list
at 12:01:30 "the pager answers"
hence outbox list
hence review approve payment-7/financial --as ada
settle
hence derive block republished

at 15:00:00 "nobody answered the proposal of 09:00:00"
hence derive tell_expired

at 17:00:00 "the report is due, at 18:00 in Berlin"
settle
cat reports.jsonl

kill $owner
wait $owner
trap - EXIT

say "what the owner decided by itself, as each thing came"
cat decided.jsonl

say "the ledger"
hence verify

why() {
    say "why $*"
    hence why "$@" 2>&1
}
why 'refine_tool("crm_export", /poor_quality)' --depth 3
why 'handle_error("run-29", _, _, _, _)'
why 'plan_outcome("clean-up", /failed)'
why 'deny_escalation("impatient", _)'
why 'escalate(_, _, _)' --depth 2
why 'tool_allowed("draft_reply")'
why 29.1
why 29.2 --depth 1
hence outbox show 29.2
why 38.2
why 'tell_expired("colours")'
why 'run_automation("report", _)'
