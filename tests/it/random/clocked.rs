//! Random rules that read the clock, with facts about times near to each other.

use super::{Dice, Text};

/// The first instant of the calendar that random times are near to, in microseconds: the night before clocks change in
/// Berlin.
pub(crate) const BEGIN: i64 = 1_774_656_000_000_000;
const MINUTE: i64 = 60_000_000;

/// A random rule set over the clock.
#[derive(Clone, Debug)]
pub(crate) struct Clocked {
    /// Rules, a line each.
    pub(crate) rules: Vec<String>,
    pub(crate) facts: Vec<String>,
    /// Whether some rule may change at every instant.
    pub(crate) restless: bool,
}

impl Clocked {
    /// The rules and facts as other random programs are held.
    pub(crate) fn text(&self) -> Text {
        let declarations = [INPUTS.to_owned()].into_iter().chain(self.rules.clone()).collect();
        Text { declarations, facts: self.facts.clone(), ..Text::default() }
    }
}

const INPUTS: &str = "input ev(k: int, at: time).\ninput lasts(k: int, d: duration).\n\
    input edge(a: int, b: int, at: time).\ninput place(k: int, zone: string).\n";

/// A time within three days, on a whole quarter more often than not.
pub(crate) fn time(dice: &mut Dice) -> i64 {
    let step = if dice.chance(80) { 15 * MINUTE } else { 7_000_003 };
    BEGIN + (dice.roll() % (3 * 24 * 60 * MINUTE / step) as u64) as i64 * step
}

fn shown(micros: i64) -> String {
    format!("{}", hence_core::value::Value::Time(micros))
}

fn duration(dice: &mut Dice) -> String {
    dice.pick(&["15m", "1h", "2h30m", "1d", "36h", "1us"].map(String::from)).replace("1us", "250ms")
}

/// A condition over the clock `Now` and the time `at`.
fn condition(dice: &mut Dice, at: &str, restless: &mut bool) -> String {
    let (d, n) = (duration(dice), dice.below(24));
    let zone = dice.pick(&["Europe/Berlin", "Asia/Kathmandu", "America/New_York", "UTC"]);
    let forms = [
        format!("Now - {at} < {d}"),
        format!("Now - {at} >= {d}"),
        format!("{at} <= Now"),
        format!("{at} + {d} <= Now"),
        format!("{at} - {d} > Now"),
        format!("lasts(K, D{at}), {at} + D{at} <= Now"),
        format!("lasts(K, E{at}), Now - {at} != E{at}"),
        format!("hour(Now) >= {n}"),
        format!("hour(Now, \"{zone}\") = {n}"),
        format!("weekday(Now, \"{zone}\") < 6"),
        format!("place(K, Z{at}), hour(Now, Z{at}) < {n}"),
        format!("truncate(Now, 1h) <= {at}"),
        format!("truncate(Now, 1h) = truncate({at}, 1h)"),
        format!("truncate(Now - {d}, /day, \"{zone}\") <= {at}"),
        format!("truncate(Now, /week) <= {at}"),
        format!("date(Now, \"{zone}\") = date({at}, \"{zone}\")"),
        format!("date(Now + {d}) != date({at})"),
        format!("month(Now) = 3, minute(Now) < {n}"),
        format!("hours(Now - {at}) < {n}.5"),
        format!("(Now - {at}) * 2 < {d}"),
        format!("(Now - {at}) / -2 < {d}"),
        format!("(Now - {at}) / 1h < 2.5"),
        format!("(Now - {at}) * 0.5 >= {d}"),
        format!("Age{at} = Now - {at}, Age{at} < {d}, Age{at} >= 0s"),
        format!("H{at} = hour(Now), H{at} in range(0, {n})"),
        format!("C{at} in range(0, hour(Now) / 6), C{at} != 1"),
        format!("(Now - {at} < {d} or hour(Now) = {n})"),
        format!("not ({at} < Now)"),
        format!("if(hour(Now) < {n}, {at} < Now, {at} > Now)"),
        format!("K / (hour(Now) - {n}) >= 0"),
        format!("min({at}, Now) + {d} > {at}"),
        format!("Now = {at}"),
        format!("F{at} = {at} + {d}, F{at} > Now, now(_)"),
        format!("1h / (Now - {at}) > 0.5"),
        format!("Now - {at} < {at} - Now"),
        format!("abs(seconds(Now - {at})) < 5000.0"),
    ];
    let at = dice.below(forms.len());
    *restless |= at + 4 >= forms.len() || at == forms.len() - 4;
    forms[at].clone()
}

/// The body of a rule that binds `K` and `A`, and reads the clock or not.
fn body(dice: &mut Dice, below: usize, restless: &mut bool) -> String {
    let source = |dice: &mut Dice| match dice.below(4) {
        0 if below > 0 => format!("r{}(K, A)", dice.below(below)),
        1 => String::from("edge(K, _, A)"),
        2 => String::from("ev(K, A), edge(_, K, B)"),
        _ => String::from("ev(K, A)"),
    };
    let mut literals = vec![source(dice)];
    let at = if literals[0].contains('B') && dice.chance(60) { "B" } else { "A" };
    literals.push(condition(dice, at, restless));
    if dice.chance(40) {
        literals.push(
            condition(dice, "A", restless)
                .replace("(K, D", "(K, G")
                .replace("+ D", "+ G")
                .replace("Age", "Old"),
        );
    }
    if below > 0 && dice.chance(30) {
        literals.push(format!("!r{}(K, _)", dice.below(below)));
    }
    if dice.chance(20) {
        literals.push(String::from("K < 3"));
    }
    let clock = if dice.chance(5) { "now(Now), now(Now)" } else { "now(Now)" };
    literals.insert(dice.below(literals.len() + 1), String::from(clock));
    literals.join(", ")
}

/// One relation's rules; all have the columns of an event.
fn relation(dice: &mut Dice, at: usize, restless: &mut bool) -> Vec<String> {
    let name = format!("r{at}");
    let body = |dice: &mut Dice, restless: &mut bool| body(dice, at, restless);
    match dice.below(10) {
        0 => vec![format!("{name}(count(), max(A)) :- {}.", body(dice, restless))],
        1 => vec![format!("{name}(K, max(A)) :- {}.", body(dice, restless))],
        2 => vec![format!("{name}(hour(Now), min(A)) :- {}.", body(dice, restless))],
        3 => vec![format!("{name}(K, A) :- {} limit 2 per K by A desc.", body(dice, restless))],
        4 => vec![format!("{name}(K, truncate(Now, 6h)) :- {} limit 2 by K.", body(dice, restless))],
        5 => {
            *restless = true;
            vec![format!("{name}(K, Now) :- {}.", body(dice, restless))]
        }
        6 | 7 => {
            let (one, other) = (condition(dice, "A", restless), condition(dice, "B", restless));
            let other = other.replace("(K, ", "(J, ");
            let first = if dice.chance(50) { String::from("ev(K, A)") } else { body(dice, restless) };
            let mut rules = vec![format!("{name}(K, A) :- {first}.")];
            rules.push(format!("{name}(J, B) :- {name}(K, A), edge(K, J, B), now(Now), {one}, {other}."));
            if dice.chance(30) {
                rules.push(format!("{name}(K, B) :- {name}(K, A), {name}(K, B), now(Now), A + 1h > Now."));
            }
            rules
        }
        8 => vec![format!(
            "{name}(N, Now1) :- ev(_, Now1), now(Now), N = count {{ ev(K, A), {} }}.",
            condition(dice, "A", restless)
        )],
        _ => (0..1 + dice.below(2)).map(|_| format!("{name}(K, A) :- {}.", body(dice, restless))).collect(),
    }
}

/// A random rule set and facts for it.
pub(crate) fn clocked(seed: u64) -> Clocked {
    let mut dice = Dice::new(seed ^ 0xc10c);
    let mut restless = false;
    let mut rules = Vec::new();
    for at in 0..1 + dice.below(4) {
        rules.extend(relation(&mut dice, at, &mut restless));
    }
    let facts = (0..2 + dice.below(8)).map(|_| fact(&mut dice)).collect();
    Clocked { rules, facts, restless }
}

/// A random fact.
pub(crate) fn fact(dice: &mut Dice) -> String {
    let (k, j) = (dice.below(4), dice.below(4));
    match dice.below(6) {
        0 | 1 => format!("edge({k}, {j}, {})", shown(time(dice))),
        2 => format!("lasts({k}, {})", duration(dice)),
        3 => format!("place({k}, \"{}\")", dice.pick(&["Europe/Berlin", "Asia/Tokyo", "Nowhere"])),
        _ => format!("ev({k}, {})", shown(time(dice))),
    }
}
