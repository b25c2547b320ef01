//! Writes `facts/agent_week.jsonl`: a week of an agent that researches, trades advice, codes and plans.
//!
//! `cargo run --example agent_week > facts/agent_week.jsonl`. Runs, errors and goals go through the observers that
//! would see them in earnest; the numbers come from a generator with a fixed seed, so the file is always the same.

use std::error::Error;
use std::io::Write as _;

use hence::actuators::{Input, observer};
use hence::fact::Fact;
use hence::literal;
use hence::value::{Float, Value};
use serde_json::{Value as Json, json};

const SEED: u64 = 0x68656e6365;
const RUNS: u64 = 1_400;
/// Monday 2026-02-02 00:00:00 UTC, in microseconds.
const MONDAY: i64 = 1_769_990_400_000_000;
const SECOND: i64 = 1_000_000;

/// The agent's domains with their part of the work, in percent; the rest has none.
const DOMAINS: [(&str, u64); 4] =
    [("/marketing", 28), ("/crypto", 18), ("/engineering", 31), ("/operations", 20)];

/// A tool of the agent: how often it is used and how often it succeeds in each domain (and without one), in
/// percent, how long it takes, and what goes wrong.
struct Tool {
    name: &'static str,
    used: [u64; 5],
    succeeds: [u64; 5],
    latency_ms: u64,
    modes: &'static [&'static str],
}

const TOOLS: [Tool; 12] = [
    Tool {
        name: "web_search",
        used: [40, 34, 8, 10, 40],
        succeeds: [84, 78, 70, 66, 86],
        latency_ms: 1_150,
        modes: &["too_generic", "outdated", "timeout", "rate_limited"],
    },
    Tool {
        name: "competitor_db",
        used: [22, 2, 1, 2, 2],
        succeeds: [91, 50, 50, 60, 60],
        latency_ms: 640,
        modes: &["stale_rows", "no_such_company"],
    },
    Tool {
        name: "price_feed",
        used: [1, 34, 1, 2, 6],
        succeeds: [60, 94, 60, 55, 90],
        latency_ms: 210,
        modes: &["stale_quote", "exchange_closed"],
    },
    Tool {
        name: "calculate",
        used: [10, 14, 4, 16, 14],
        succeeds: [96, 95, 92, 76, 96],
        latency_ms: 40,
        modes: &["division_by_zero", "unknown_unit"],
    },
    Tool {
        name: "spreadsheet",
        used: [12, 6, 2, 20, 6],
        succeeds: [88, 86, 80, 72, 84],
        latency_ms: 900,
        modes: &["wrong_sheet", "locked_cell"],
    },
    Tool {
        name: "calendar",
        used: [4, 1, 2, 24, 12],
        succeeds: [82, 70, 78, 70, 84],
        latency_ms: 380,
        modes: &["double_booking", "wrong_time_zone"],
    },
    Tool {
        name: "run_tests",
        used: [1, 1, 24, 2, 1],
        succeeds: [50, 60, 78, 55, 60],
        latency_ms: 21_000,
        modes: &["tests_failed", "flaky_test", "does_not_compile"],
    },
    Tool {
        name: "shell",
        used: [1, 2, 20, 8, 3],
        succeeds: [60, 66, 81, 62, 74],
        latency_ms: 3_400,
        modes: &["nonzero_exit", "permission_denied", "timeout"],
    },
    Tool {
        name: "read_file",
        used: [4, 3, 18, 7, 10],
        succeeds: [94, 92, 97, 74, 95],
        latency_ms: 25,
        modes: &["no_such_file", "too_large"],
    },
    Tool {
        name: "repo_index",
        used: [1, 1, 8, 3, 2],
        succeeds: [60, 60, 95, 60, 80],
        latency_ms: 1_800,
        modes: &["ignored_folder"],
    },
    Tool {
        name: "file_summary",
        used: [3, 1, 8, 4, 3],
        succeeds: [82, 70, 92, 66, 82],
        latency_ms: 2_100,
        modes: &["missed_the_point", "too_long"],
    },
    Tool {
        name: "dependency_map",
        used: [1, 1, 4, 2, 1],
        succeeds: [50, 50, 90, 55, 60],
        latency_ms: 1_300,
        modes: &["unparsed_file"],
    },
];

/// The raw errors that the agent's tools left behind.
const ERRORS: [(&str, &str); 36] = [
    ("web_search", "Request failed with status code 503"),
    ("web_search", "TypeError: fetch failed\n  cause: Error: getaddrinfo EAI_AGAIN search.example.com"),
    ("web_search", "HTTP/1.1 403 Forbidden\nserver: edge"),
    ("web_search", "AxiosError: timeout of 10000ms exceeded"),
    ("web_search", "429 Too Many Requests"),
    ("competitor_db", "psycopg2.OperationalError: could not connect to server: Connection refused"),
    ("competitor_db", "ERROR:  syntax error at or near \"FORM\"\nLINE 1: SELECT name FORM company"),
    (
        "price_feed",
        "Error: unable to verify the first certificate\n    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'",
    ),
    ("price_feed", "TypeError: Cannot read properties of undefined (reading 'bid')"),
    ("calculate", "ZeroDivisionError: division by zero"),
    ("calculate", "ValueError: could not convert string to float: '1.200,50'"),
    ("spreadsheet", "KeyError: 'Forecast'"),
    ("spreadsheet", "PermissionError: [Errno 13] Permission denied: '/srv/books/2026.xlsx'"),
    ("spreadsheet", "ModuleNotFoundError: No module named 'openpyxl'"),
    ("calendar", "{\"error\": \"unauthorized\", \"message\": \"the token has expired\"}"),
    ("calendar", "The appointment was not saved"),
    ("run_tests", "expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 5"),
    (
        "run_tests",
        "E       assert 7 == 8\nE        +  where 7 = total([3, 4])\n\ntest_cart.py:9: AssertionError",
    ),
    ("run_tests", "thread 'cart::totals' panicked at src/cart.rs:31:9:\nassertion `left == right` failed"),
    ("run_tests", "src/cart.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'."),
    ("run_tests", "error[E0382]: borrow of moved value: `orders`\n --> src/lib.rs:14:20"),
    ("run_tests", "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: Total() = 7, want 8"),
    ("run_tests", "RangeError: Maximum call stack size exceeded\n    at walk (src/tree.js:8:3)"),
    ("run_tests", "org.opentest4j.AssertionFailedError: expected: <8> but was: <7>"),
    (
        "run_tests",
        "package example.com/cart\n\timports example.com/tax\n\timports example.com/cart: import cycle not allowed",
    ),
    ("shell", "bash: terraform: command not found"),
    ("shell", "mkdir: cannot create directory '/opt/app': Permission denied"),
    ("shell", "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree"),
    ("shell", "main.c:1:10: fatal error: openssl/ssl.h: No such file or directory"),
    ("shell", "error: failed to select a version for `serde`.\n    ... required by package `shop v0.1.0`"),
    ("shell", "[ERROR] Could not resolve dependencies for project com.acme:app:jar:1.0"),
    ("shell", "Process finished with exit code 1"),
    ("read_file", "PROTECTED: src/core/trust.ts. Cannot modify security systems."),
    ("read_file", "The file has more lines than may be read at once"),
    ("repo_index", "Circular dependency detected:\nsrc/a.js -> src/b.js -> src/a.js"),
    ("file_summary", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
];

/// What the agent was asked, and the domain where the user named one.
const GOALS: [(&str, Option<&str>); 46] = [
    ("Analyze competitors in the snack market", None),
    ("Research the latest trends in the coffee market", None),
    ("Find vendors for the spring campaign", None),
    ("Draft a brand voice for the new tea line", None),
    ("Compare pricing of competing energy drinks", Some("marketing")),
    ("Which customer segments buy on Sundays?", None),
    ("Analyze competitors in the bakery market and list their pricing", None),
    ("Summarize the customer interviews in notes.md", None),
    ("What is the total budget of the summer campaign?", None),
    ("Plan a campaign for the loyalty card and invite the testers", None),
    ("Find recent news on rival startups", Some("marketing")),
    ("Market share of oat drinks by country", None),
    ("What is the price of bitcoin today?", None),
    ("Compare ETH with SOL", None),
    ("Watch the bitcoin price and tell me when it falls", None),
    ("Python script that watches the bitcoin price", None),
    ("Explain the latest blockchain upgrade", None),
    ("Crypto tax: what is 17 percent of 240", None),
    ("Track the ETH quote against the euro", None),
    ("Is this token worth its price?", Some("crypto")),
    ("Fix the failing tests of the backend", None),
    ("Debugging session: the flaky checkout test", None),
    ("Show the circular imports of the python modules", None),
    ("Read the config file of the API gateway", None),
    ("What files make up the code of the billing service?", None),
    ("Analyze what the module cart.py does", Some("engineering")),
    ("Compile and restart the backend server", None),
    ("Add a rate limit to the public API", None),
    ("Repository structure for a newcomer to the code", None),
    ("Raise the coverage of the parser and fix the regressions", Some("engineering")),
    ("First read the error log, then fix the code", None),
    ("How do the core modules relate?", Some("engineering")),
    ("Calculate the total travel budget for March", None),
    ("Schedule the interviews for next week", None),
    ("Timeline for the office move", None),
    ("Resource plan for the summer shift", None),
    ("Move the standup in the team schedule", None),
    ("Deploy the booking service before the next shift", Some("operations")),
    ("Forecast the expenses of the second quarter", Some("operations")),
    ("Water the office plants", Some("operations")),
    ("Order a cake for the anniversary", Some("operations")),
    ("Translate the menu into Danish", None),
    ("Put the slides together by Friday", None),
    ("Give me a rapid overview of the news", None),
    ("Calculate 17 percent of 240", None),
    ("List the capital cities of Europe", None),
];

/// What one person said about one tool. Days count from Monday, `at` is the time of day.
struct Feedback {
    day: u8,
    at: &'static str,
    by: &'static str,
    of: (&'static str, &'static str),
    says: (&'static str, &'static str),
    text: (&'static str, &'static str),
    goal: Option<&'static str>,
    more: More,
}

/// What else a feedback may carry.
enum More {
    Nothing,
    Lasts(&'static str),
    Replacement(&'static str),
    Withdrawn(u8, &'static str),
}

const PENALIZE: (&str, &str) = ("/negative", "/penalize");
const CONSTRAINT: (&str, &str) = ("/negative", "/constraint");
const CORRECT: (&str, &str) = ("/correction", "/correct");
const PRAISE: (&str, &str) = ("/positive", "/boost");

#[rustfmt::skip]
const FEEDBACK: [Feedback; 15] = [
    Feedback { day: 1, at: "14:23:45", by: "ana", of: ("web_search", "/marketing"), says: PENALIZE, text: ("too general", "wanted five findings, got three"), goal: Some("analyze competitors"), more: More::Nothing },
    Feedback { day: 1, at: "16:02:10", by: "ben", of: ("price_feed", "/crypto"), says: PRAISE, text: ("always right", "matched the exchange to the cent"), goal: None, more: More::Nothing },
    Feedback { day: 2, at: "09:40:00", by: "ana", of: ("web_search", "/marketing"), says: PENALIZE, text: ("too general again", "half of the results were listicles"), goal: Some("analyze competitors"), more: More::Nothing },
    Feedback { day: 2, at: "10:15:30", by: "caro", of: ("calculate", "/operations"), says: CORRECT, text: ("budgets belong in the sheet", "the figure could not be traced"), goal: Some("budget"), more: More::Replacement("spreadsheet") },
    Feedback { day: 2, at: "17:20:00", by: "caro", of: ("shell", "/operations"), says: CONSTRAINT, text: ("no deployments by the agent", "the booking page was down for an hour"), goal: Some("deploy"), more: More::Nothing },
    Feedback { day: 3, at: "08:55:12", by: "dev", of: ("run_tests", "/engineering"), says: PENALIZE, text: ("runner was broken", "every run failed before the first test"), goal: None, more: More::Lasts("24h") },
    Feedback { day: 3, at: "11:30:00", by: "dev", of: ("file_summary", "/engineering"), says: PRAISE, text: ("saved me an hour", "the summary of the tax module was exact"), goal: None, more: More::Nothing },
    Feedback { day: 3, at: "13:05:44", by: "ben", of: ("web_search", "/crypto"), says: CONSTRAINT, text: ("quotes a day old", "said 41,000 while it was 43,500"), goal: None, more: More::Withdrawn(4, "09:00:00") },
    Feedback { day: 3, at: "15:45:00", by: "ana", of: ("web_search", "/marketing"), says: PENALIZE, text: ("still too general", "missed the two largest rivals"), goal: Some("analyze competitors"), more: More::Nothing },
    Feedback { day: 4, at: "09:12:00", by: "ben", of: ("web_search", "/crypto"), says: CORRECT, text: ("ask the feed for prices", "the page was cached"), goal: Some("price of"), more: More::Replacement("price_feed") },
    Feedback { day: 4, at: "10:31:09", by: "dev", of: ("shell", "/engineering"), says: CORRECT, text: ("use the build server", "it holds the right compiler"), goal: Some("compile"), more: More::Replacement("build_server") },
    Feedback { day: 4, at: "16:48:00", by: "ana", of: ("competitor_db", "/marketing"), says: PRAISE, text: ("found the niche brands", "seven of them new to us"), goal: Some("pricing"), more: More::Nothing },
    Feedback { day: 5, at: "10:00:00", by: "caro", of: ("calendar", "/operations"), says: PENALIZE, text: ("booked a holiday", "nobody works on the sixth"), goal: None, more: More::Lasts("7d") },
    Feedback { day: 5, at: "12:20:00", by: "dev", of: ("read_file", "/global"), says: CONSTRAINT, text: ("opened a private file", "meant for payroll only"), goal: Some("salary"), more: More::Nothing },
    Feedback { day: 6, at: "18:05:00", by: "dev", of: ("dependency_map", "/engineering"), says: PENALIZE, text: ("missed an import", "clicked too fast, it was there"), goal: None, more: More::Withdrawn(6, "18:06:30") },
];

const MEMORIES: [(&str, &str, &str, f64); 9] = [
    ("m1", "/marketing", "web_search", 0.72),
    ("m2", "/marketing", "competitor_db", 0.88),
    ("m3", "/crypto", "price_feed", 0.93),
    ("m4", "/crypto", "spreadsheet", 0.2),
    ("m5", "/engineering", "run_tests", 0.81),
    ("m6", "/engineering", "web_search", 0.25),
    ("m7", "/operations", "repo_index", 0.1),
    ("m8", "/operations", "calendar", 0.55),
    ("m9", "/global", "dependency_map", 0.4),
];

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(usize::try_from(self.below(from.len() as u64)).ok()?)
    }

    /// The place of one weight, drawn by its size; `weights.len()` where what is left of `total` is drawn.
    fn weighted(&mut self, weights: impl Iterator<Item = u64>, total: u64) -> usize {
        let mut left = self.below(total);
        let mut place = 0;
        for weight in weights {
            if left < weight {
                break;
            }
            left -= weight;
            place += 1;
        }
        place
    }
}

/// When each run began: seconds of the week, mostly of working days and hours, in order.
fn times(random: &mut Random) -> Vec<i64> {
    let mut seconds: Vec<i64> = (0..RUNS)
        .map(|_| {
            let day = random.weighted([19, 18, 19, 17, 15, 7].into_iter(), 100) as i64;
            let hour = if random.percent(92) { 7 + random.below(13) } else { random.below(24) };
            day * 86_400 + hour.cast_signed() * 3_600 + random.below(3_600).cast_signed()
        })
        .collect();
    seconds.sort_unstable();
    seconds
}

/// One line of the agent's log.
fn run(random: &mut Random, number: usize, second: i64) -> Json {
    let domain = random.weighted(DOMAINS.iter().map(|(_, part)| *part), 100);
    let used = |tool: &Tool| tool.used.get(domain).copied().unwrap_or(1);
    let place = random.weighted(TOOLS.iter().map(used), TOOLS.iter().map(used).sum());
    let tool = TOOLS.get(place).unwrap_or(&TOOLS[0]);
    let ok = random.percent(tool.succeeds.get(domain).copied().unwrap_or(50));
    let slow = if !ok && random.percent(20) { 6 } else { 1 };
    let latency = (tool.latency_ms / 2 + random.below(tool.latency_ms)) * slow;
    let mode = (!ok && random.percent(80)).then(|| random.pick(tool.modes)).flatten();
    let texts: Vec<&str> = ERRORS.iter().filter(|(of, _)| *of == tool.name).map(|(_, text)| *text).collect();
    let error = (!ok && random.percent(45)).then(|| random.pick(&texts)).flatten().map(|text| {
        // Now and then the whole log is kept, which no one wants to read.
        if random.percent(4) {
            format!("{text}\n{}", "    at frame (native)\n".repeat(120))
        } else {
            (*text).to_owned()
        }
    });
    json!({
        "run": number,
        "tool": tool.name,
        "domain": DOMAINS.get(domain).map_or("/global", |(name, _)| name),
        "ok": ok,
        "latency_ms": latency,
        "at": literal::time_text(MONDAY + second * SECOND),
        "failure_mode": mode,
        "error": error,
    })
}

/// What the observer `name` makes of JSON lines.
fn observed(name: &str, lines: &[Json]) -> Result<Vec<Fact>, Box<dyn Error>> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut facts = Vec::new();
    observer(name, None)?.observe(Input::new("week.jsonl", None, &mut text.as_bytes()), &mut |fact| {
        facts.push(fact);
        Ok(())
    })?;
    Ok(facts)
}

/// The goals, without the signals of a pack that the week is not about.
fn goals() -> Result<Vec<Fact>, Box<dyn Error>> {
    let lines: Vec<Json> = GOALS
        .iter()
        .enumerate()
        .map(|(at, (text, domain))| json!({"goal": format!("g{}", at + 1), "text": text, "domain_given": domain}))
        .collect();
    let mut facts = observed("goal", &lines)?;
    facts.retain(|fact| fact.relation.as_str() != "goal_signal");
    Ok(facts)
}

fn string(text: &str) -> Value {
    Value::String(text.into())
}

fn name(text: &str) -> Value {
    Value::Name(text.into())
}

/// The time of day `at` on a day of the week.
fn moment(day: u8, at: &str) -> Result<Value, Box<dyn Error>> {
    let text = format!("2026-02-{:02}T{at}Z", 2 + day);
    Ok(Value::Time(literal::parse_time(&text).ok_or(text)?))
}

fn feedback() -> Result<Vec<Fact>, Box<dyn Error>> {
    let mut facts = Vec::new();
    for (at, said) in FEEDBACK.iter().enumerate() {
        let id = string(&format!("f{:02}", at + 1));
        let ((tool, domain), (verdict, action), (reason, evidence)) = (said.of, said.says, said.text);
        let when = moment(said.day, said.at)?;
        let columns = [id, string(tool), name(domain), name(verdict), name(action), when];
        facts.push(Fact::new("feedback", columns));
        facts.push(Fact::new("feedback_by", [id, string(said.by)]));
        facts.push(Fact::new("feedback_text", [id, string(reason), string(evidence)]));
        facts.extend(said.goal.map(|pattern| Fact::new("feedback_goal", [id, string(pattern)])));
        match said.more {
            More::Nothing => {}
            More::Lasts(lasts) => {
                let lasts = Value::Duration(literal::parse_duration(lasts).ok_or(lasts)?);
                facts.push(Fact::new("feedback_lasts", [id, lasts]));
            }
            More::Replacement(tool) => facts.push(Fact::new("feedback_replacement", [id, string(tool)])),
            More::Withdrawn(day, at) => facts.push(Fact::new("feedback_withdrawn", [id, moment(day, at)?])),
        }
    }
    Ok(facts)
}

/// A value as fact files write it.
fn json_of(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value.get()),
        Value::String(text) | Value::Name(text) | Value::List(text) => json!(text.as_str()),
        Value::Time(micros) => json!(literal::time_text(*micros)),
        Value::Duration(micros) => json!(literal::duration_text(*micros)),
    }
}

/// The week as a fact file: JSON Lines, a fact a line, by position.
pub(crate) fn week() -> Result<String, Box<dyn Error>> {
    let mut random = Random(SEED);
    let mut facts: Vec<Fact> = TOOLS.iter().map(|tool| Fact::new("tool", [string(tool.name)])).collect();
    facts.extend(MEMORIES.iter().filter_map(|(memory, domain, tool, usefulness)| {
        let usefulness = Value::Float(Float::new(*usefulness)?);
        Some(Fact::new("tool_memory", [string(memory), name(domain), string(tool), usefulness]))
    }));
    facts.extend(goals()?);
    facts.extend(feedback()?);
    let log: Vec<Json> = times(&mut random)
        .into_iter()
        .enumerate()
        .map(|(at, second)| run(&mut random, at + 1, second))
        .collect();
    facts.extend(observed("tool-run", &log)?);
    let line = |fact: &Fact| {
        let row: Vec<String> = fact.values.iter().map(|value| json_of(value).to_string()).collect();
        format!("{{\"{}\": [{}]}}\n", fact.relation, row.join(", "))
    };
    Ok(facts.iter().map(line).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    std::io::stdout().write_all(week()?.as_bytes())?;
    Ok(())
}
