//! Relations that Prolog and other languages bring along: what hence has for them.

/// What to write instead of a relation of another language, where that is known.
pub(super) fn instead(name: &str, arity: usize) -> Option<&'static str> {
    Some(match (name, arity) {
        ("member" | "memberchk", 2) => {
            "write `X in [1, 2]` for a list that is written down; other lists are relations, one fact for each element"
        }
        ("findall" | "bagof" | "setof", 3) | ("aggregate_all", 3) => {
            "aggregate over a body instead, as in `N = count { p(X) }` or `S = sum(X) { p(X) }`"
        }
        ("length", 2) => "count the facts, as in `N = count { p(X) }`; `len(S)` is the length of a string",
        ("forall", 2) => "derive the exceptions by a rule of their own, and negate that relation",
        ("append" | "nth0" | "nth1" | "reverse" | "sort" | "msort" | "last", _) => {
            "there are no lists as values: keep one fact for each element, with its place as a column"
        }
        ("between", 3) => "write `X in range(1, 6)`, which binds 1 to 5",
        ("assert" | "asserta" | "assertz" | "retract", 1) => {
            "a rule with `then` asserts or retracts: `then p(X) :- …`, `then !p(X) :- …`"
        }
        ("write" | "writeln" | "print" | "println" | "printf" | "nl", _) => {
            "rules print nothing: `hence derive` shows facts, and `@because` gives a rule its sentence"
        }
        ("var" | "nonvar" | "ground" | "atom" | "number" | "is_list", 1) => {
            "remove it: every variable is bound, and its type is known"
        }
        ("call" | "once" | "ignore", 1) => "write the literal itself",
        ("atom_concat", 3) => "write `S = concat(A, B)`",
        ("atom_length" | "string_length", 2) => "write `N = len(S)`",
        ("succ", 2) => "write `B = A + 1`",
        ("like", 2) => "write `contains(S, \"…\")` or `matches(S, r\"…\")`",
        _ => return None,
    })
}

/// What to write instead of a function of another language, where that is known.
pub(super) fn instead_of_function(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "coalesce" | "ifnull" | "nvl" | "isnull" => {
            "remove it: a fact has a value in every column; an input may have a default, as in `percent: int = 0`"
        }
        "timedelta" | "interval" | "make_interval" => {
            "write the duration, such as `90s`, `5m`, `1h` or `7d`; `hours(1)` makes one of a number"
        }
        "as" | "cast" | "convert" => {
            "call the function of the type: `int(X)`, `float(X)`, `string(X)` or `name(X)`"
        }
        "datetime" | "strptime" | "to_timestamp" | "parse_time" => {
            "write the time, such as `@2026-01-31T09:00:00Z`, or give the input a column of type `time`"
        }
        _ => return None,
    })
}
