//! The keywords. Only `true`, `false`, `and`, `or`, `not`, `in` and `if` are reserved; the others are words of the
//! language only where the grammar expects them.

use super::{Section, WordEntry};

pub(super) const SECTIONS: &[Section] = &[
    Section { title: "Declarations", entries: DECLARATIONS },
    Section { title: "Rules", entries: RULES },
    Section { title: "Tests", entries: TESTS },
    Section { title: "Types and values", entries: VALUES },
    Section { title: "Words beside the rules", entries: BESIDE },
];

const DECLARATIONS: &[WordEntry] = &[
    WordEntry {
        name: "input",
        form: "input NAME(column: type, …).",
        meaning: "Declares a relation whose facts are asserted from outside. No rule derives it. A column may have a default, `column: type = literal`, for facts that leave it out.",
        examples: &[(
            "## A run of a tool.\ninput tool_run(tool: string, ok: bool, note: string = \"\").\n\nfailed(Tool) :- tool_run(tool: Tool, ok: false).\n",
            "",
        )],
    },
    WordEntry {
        name: "relation",
        form: "relation NAME(column: type, …).",
        meaning: "Declares a derived relation. The declaration is optional: without it, types are inferred and columns have no names.",
        examples: &[(
            "## Tools that are tried again.\nrelation again(tool: string).\n\nagain(\"grep\").\nonce_more(T) :- again(tool: T).\n",
            "",
        )],
    },
    WordEntry {
        name: "decision",
        form: "decision NAME(column: type, …).",
        meaning: "Declares a derived relation that is recorded each time a fact of it is drawn or lapses.",
        examples: &[(
            "## A job that failed.\ninput failed(job: string).\n\n## Try the job again.\ndecision retry(job: string).\n\n@because(\"{Job} failed\")\nretry(Job) :- failed(Job).\n",
            "",
        )],
    },
    WordEntry {
        name: "requires",
        form: "decision NAME(…) requires REL(column: term, …).",
        meaning: "Guards a decision: the rules are refused unless every derivation of it uses a fact of `REL` with these columns. A term is a column of the decision or a literal. More facts and comparisons follow after `and`; an upper-case term names what a fact has in a column, for these.",
        examples: &[(
            "## A change that waits.\ninput change(id: int).\n## A person's answer.\ninput review(id: int, yes: bool) from reviewer.\n\n## Make the change.\ndecision apply(id: int) requires review(id: id, yes: true).\n\n@because(\"change {Id} was approved\")\napply(Id) :- change(Id), review(Id, true).\n",
            "",
        )],
    },
    WordEntry {
        name: "from",
        form: "input NAME(column: type, …) from role, … as column, at column.",
        meaning: "Says who may assert and retract the facts of an input: authors with one of the roles, as `[roles]` in `hence.toml` lists them. `as` names the column that holds the author, `at` the one that holds the instant of the transaction. After the value of a parameter, says who may change its recorded value.",
        examples: &[(
            "## A reviewer's answer.\ninput review(id: int, yes: bool, by: string, at: time) from reviewer as by, at at.\n\napproved(Id) :- review(id: Id, yes: true).\n",
            "",
        )],
    },
    WordEntry {
        name: "param",
        form: "param NAME: type = literal.",
        meaning: "A named constant that a run may set: `--set NAME=literal`. A list has the type `[type]`: `param trusted: [string] = [\"a\", \"b\"].`",
        examples: &[(
            "## How often a job is tried.\nparam most: int = 3.\n\ntries(N) :- N in range(0, most).\n",
            "",
        )],
    },
    WordEntry {
        name: "type",
        form: "type NAME = /name | /name.",
        meaning: "Gives a closed set of names a name of its own. A name outside of the set is an error.",
        examples: &[(
            "## How bad it is.\ntype risk = /low | /high.\n\n## A tool and its risk.\ninput tool(name: string, risk: risk).\n\nrisky(Tool) :- tool(Tool, /high).\n",
            "",
        )],
    },
    WordEntry {
        name: "import",
        form: "import \"file.dl\".",
        meaning: "Loads another rule file, by its path relative to this one. Each file is loaded once.",
        examples: &[],
    },
    WordEntry {
        name: "@id",
        form: "@id(name)",
        meaning: "The identity of the rule that follows, in proofs, in the log and in coverage. Without it, a rule is called by its relation and ordinal, such as `retry#2`.",
        examples: &[("@id(one_is_odd)\nodd(1).\n", "")],
    },
    WordEntry {
        name: "@because",
        form: "@because(\"… {Variable} …\")",
        meaning: "The sentence that `why` prints for a step by the rule that follows. It may use every variable of the rule and every parameter.",
        examples: &[(
            "## A job that failed.\ninput failed(job: string).\n\n@because(\"{Job} failed\")\nbroken(Job) :- failed(Job).\n",
            "",
        )],
    },
    WordEntry {
        name: "@partition",
        form: "@partition(column)",
        meaning: "Before an input: each of its facts lies in one shard, that of its value in `column`. Every rule is proved to need facts of one shard only, so that each shard can decide by itself.",
        examples: &[(
            "## A run of a tool.\n@partition(tool)\ninput run(tool: string, ok: bool).\n\n## Look at this tool.\ndecision look_at(tool: string).\n\n@because(\"{Tool} failed\")\nlook_at(Tool) :- run(Tool, false).\n",
            "",
        )],
    },
    WordEntry {
        name: "@personal",
        form: "name: string @personal(column)",
        meaning: "After the type of a column of an input or a decision: its values are personal, and `column` of the same relation says whose. The ledger keeps them under a key of that subject, which `hence erase` destroys; sentences show `(personal)` in their place.",
        examples: &[(
            "## People.\ninput person(id: string, email: string @personal(id)).\n\n## Write to them.\ndecision write(id: string, email: string @personal(id)).\n\n@because(\"{Id} is known\")\nwrite(Id, Email) :- person(Id, Email).\n",
            "",
        )],
    },
];

const RULES: &[WordEntry] = &[
    WordEntry {
        name: "feed",
        form: "feed HEAD :- BODY.",
        meaning: "Adds facts to an input, which then holds what was asserted and what is fed.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ok: bool).\n## A failure to look at.\ninput failure(tool: string).\n\nfeed failure(Tool) :- run(Tool, false).\n\nbroken(Tool) :- failure(Tool).\n",
            "",
        )],
    },
    WordEntry {
        name: "then",
        form: "then HEAD :- BODY.  then !HEAD :- BODY.",
        meaning: "Asserts a fact of an input, or retracts it, when it begins to follow. The term `now` is the instant at which that takes place.",
        examples: &[(
            "## A request that somebody granted.\ninput granted(level: int).\n## The level.\ninput level(level: int, since: time).\n\nthen level(Level, now) :- granted(Level).\n\ncurrent(Level) :- level(Level, _).\n",
            "",
        )],
    },
    WordEntry {
        name: "in",
        form: "X in [a, b]; X in PARAMETER; X in TYPE; X in GENERATOR(…)",
        meaning: "Binds a variable to each element of a list, a closed set of names or a generator; holds for a bound variable that is among the elements. `!(X in [a, b])` holds for one that is not.",
        examples: &[
            ("word(W) :- W in words(\"to be or not\").\n", ""),
            (
                "## Tools that run unattended.\nparam trusted: [string] = [\"search\", \"read\"].\n## A run of a tool.\ninput run(tool: string).\n\nheld(Tool) :- run(Tool), !(Tool in trusted).\n",
                "",
            ),
        ],
    },
    WordEntry {
        name: "limit",
        form: "HEAD :- BODY limit N per X, Y by KEY desc as R.",
        meaning: "Keeps the first `N` facts of each group. Without `per`, all facts of the rule are one group.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ms: int).\n\nslowest(Tool, Ms, Rank) :- run(Tool, Ms) limit 3 per Tool by Ms desc as Rank.\n",
            "",
        )],
    },
    WordEntry {
        name: "per",
        form: "limit N per X, Y by KEY",
        meaning: "Names the variables of the group that a limit counts in.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ms: int).\n\nfastest(Tool, Ms) :- run(Tool, Ms) limit 1 per Tool by Ms.\n",
            "",
        )],
    },
    WordEntry {
        name: "by",
        form: "limit N by KEY, KEY desc",
        meaning: "Names the keys by which a limit ranks. Ties are broken by the columns of the head, ascending.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ms: int).\n\nfirst(Tool, Ms) :- run(Tool, Ms) limit 2 by Ms, Tool desc.\n",
            "",
        )],
    },
    WordEntry {
        name: "desc",
        form: "by KEY desc",
        meaning: "Ranks by a key from the largest value down. Without it, a key ranks from the smallest value up.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ms: int).\n\nslowest(Tool, Ms) :- run(Tool, Ms) limit 1 by Ms desc.\n",
            "",
        )],
    },
    WordEntry {
        name: "as",
        form: "limit N by KEY as R",
        meaning: "Binds the rank, from 1, to a variable of the head.",
        examples: &[(
            "## A run of a tool.\ninput run(tool: string, ms: int).\n\nranked(Tool, Ms, R) :- run(Tool, Ms) limit 10 by Ms as R.\n",
            "",
        )],
    },
];

const TESTS: &[WordEntry] = &[
    WordEntry {
        name: "test",
        form: "test \"name\" { set … now … given … expect … }",
        meaning: "A test, run by `hence test`: what is expected of some facts. Its parts come in this order; only `expect` is needed.",
        examples: &[("twice(2 * 3).\n\ntest \"two times three\" {\n    expect\n        twice(6).\n}\n", "")],
    },
    WordEntry {
        name: "set",
        form: "set NAME = literal.",
        meaning: "Sets a parameter in a test.",
        examples: &[(
            "## How many.\nparam most: int = 3.\n\ncount_to(N) :- N in range(0, most).\n\ntest \"one\" {\n    set most = 1.\n    expect\n        exactly count_to { (0) }\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "now",
        form: "now @2026-02-03T12:00:00Z.",
        meaning: "Sets the clock of a test. In rules, `now(at)` is an input that holds the time of the run.",
        examples: &[(
            "today(day(At)) :- now(At).\n\ntest \"the third\" {\n    now @2026-02-03T12:00:00Z.\n    expect\n        today(3).\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "given",
        form: "given fact. fact. …",
        meaning: "The facts of a test, of inputs or of derived relations. A fact by name may end with `..`, which fills the columns in that it leaves out.",
        examples: &[(
            "## A job that failed.\ninput failed(job: string).\n\nbroken(Job) :- failed(Job).\n\ntest \"a failed job is broken\" {\n    given\n        failed(\"backup\").\n    expect\n        broken(\"backup\").\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "then",
        form: "then fact. !fact. now @2026-02-03T13:00:00Z. …",
        meaning: "A further step of a test, after `expect`: facts that come, facts that are retracted, the clock that moves on. An `expect` follows.",
        examples: &[(
            "## A job that failed.\ninput failed(job: string).\n\nbroken(Job) :- failed(Job).\n\ntest \"until it is repaired\" {\n    given\n        failed(\"backup\").\n    expect\n        broken(\"backup\").\n    then\n        !failed(\"backup\").\n    expect\n        no broken(_).\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "expect",
        form: "expect literal. …",
        meaning: "What a test expects: `p(1).`, `no p(_).`, `p(X), X > 0.5.`, `exactly p { (1) (2) }`, `undetermined p(_).`, `p(1) because …`, and `p(0.333) ~ 0.001.` for a float within a distance.",
        examples: &[(
            "third(1.0 / 3.0).\n\ntest \"a third\" {\n    expect\n        third(0.333) ~ 0.001.\n        third(X), X > 0.3.\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "no",
        form: "no p(a, _).",
        meaning: "Expects that no fact matches.",
        examples: &[("odd(1).\n\ntest \"two is even\" {\n    expect\n        no odd(2).\n}\n", "")],
    },
    WordEntry {
        name: "exactly",
        form: "exactly p { (a, b) (c, d) }",
        meaning: "Expects a whole relation. No dot follows the brace.",
        examples: &[(
            "odd(1).\nodd(3).\n\ntest \"both\" {\n    expect\n        exactly odd { (1) (3) }\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "undetermined",
        form: "undetermined p(a, _).",
        meaning: "Expects that a row that fits follows possibly and not certainly, because of an undefined operation.",
        examples: &[(
            "## Runs of a tool.\ninput ran(tool: string, failed: int, runs: int).\n\nbad(T) :- ran(T, F, N), F / N > 0.\n\ntest \"no runs\" {\n    given\n        ran(\"find\", 0, 0).\n    expect\n        undetermined bad(\"find\").\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "because",
        form: "p(a, b) because rule_id. p(a, b) because \"sentence\".",
        meaning: "Expects a fact for a reason: a rule that a proof of it uses, or its sentence. `@because` gives a rule its sentence.",
        examples: &[(
            "## A job that failed.\ninput failed(job: string).\n\n@id(failed_once)\n@because(\"{Job} failed\")\nbroken(Job) :- failed(Job).\n\ntest \"why\" {\n    given\n        failed(\"backup\").\n    expect\n        broken(_) because failed_once.\n        broken(_) because \"backup failed\".\n}\n",
            "",
        )],
    },
    WordEntry {
        name: "..",
        form: "p(a: 1, ..)",
        meaning: "In a given fact: the columns that are not named get a fixed value of their type, distinct for each fact.",
        examples: &[(
            "## A run of a tool.\ninput run(id: int, tool: string, ok: bool).\n\nfailed(Tool) :- run(tool: Tool, ok: false).\n\ntest \"one failure\" {\n    given\n        run(tool: \"grep\", ok: false, ..).\n    expect\n        failed(\"grep\").\n}\n",
            "",
        )],
    },
];

const BESIDE: &[WordEntry] = &[
    WordEntry {
        name: "schedule",
        form: "schedule(name: string, cron: string, zone: string)",
        meaning: "An input that rules may declare. Each of its facts lets `hence decide --follow` assert a `tick` of that name at the instants of the cron expression.",
        examples: &[(
            "## When something is due.\ninput schedule(name: string, cron: string, zone: string).\n\nplanned(Name) :- schedule(name: Name).\n",
            "",
        )],
    },
    WordEntry {
        name: "tick",
        form: "tick(name: string, at: time, late: bool)",
        meaning: "An input that rules may declare: an instant of a `schedule`, which `hence decide --follow` asserts when it comes.",
        examples: &[(
            "## An instant of a schedule.\ninput tick(name: string, at: time, late: bool).\n\n## Send the report.\ndecision report(at: time).\n\n@because(\"{Name} is due\")\nreport(At) :- tick(Name, At, _), Name = \"mornings\".\n",
            "",
        )],
    },
    WordEntry {
        name: "zone",
        form: "hour(time, \"Europe/Berlin\")",
        meaning: "A time zone, as the last argument of the functions of the calendar. Without one they are in UTC. A `schedule` has one too.",
        examples: &[(
            "## A call.\ninput call(id: int, at: time).\n\nearly(Id) :- call(Id, At), hour(At, \"Europe/Berlin\") < 8.\n",
            "",
        )],
    },
    WordEntry {
        name: "carry",
        form: "[carry] RELATION = { carrier = \"command\", program = … }",
        meaning: "In `hence.toml`: what carries out the decisions of a relation. Rules may read what became of them as `carried`.",
        examples: &[(
            "## What became of a decision that was to be carried out.\ninput carried(id: string, relation: string, outcome: name, at: time).\n\nlost(Id) :- carried(id: Id, outcome: /given_up).\n",
            "",
        )],
    },
];

const VALUES: &[WordEntry] = &[
    WordEntry {
        name: "bool",
        form: "true, false",
        meaning: "The type of truth values.",
        examples: &[("fast(10 < 20).\n\ntest \"yes\" {\n    expect\n        fast(true).\n}\n", "")],
    },
    WordEntry {
        name: "true",
        form: "true",
        meaning: "A literal of type `bool`. A bool expression is a condition in a body.",
        examples: &[("ok(true).\nyes(1) :- ok(B), B.\n", "")],
    },
    WordEntry {
        name: "false",
        form: "false",
        meaning: "A literal of type `bool`; it comes before `true`.",
        examples: &[("ok(false).\nno_good(1) :- ok(B), !B.\n", "")],
    },
    WordEntry {
        name: "time",
        form: "@2026-02-03T14:23:45Z",
        meaning: "The type of instants: RFC 3339, stored as microseconds since 1970-01-01T00:00:00Z.",
        examples: &[("begins(@2026-02-03T14:23:45Z).\nlater(T + 1h) :- begins(T).\n", "")],
    },
    WordEntry {
        name: "duration",
        form: "250ms, 60s, 5m, 24h, 7d, 2w, 1h30m",
        meaning: "The type of lengths of time, in microseconds, with a sign.",
        examples: &[("pause(1h30m).\nlong(D) :- pause(D), D > 60m.\n", "")],
    },
];
