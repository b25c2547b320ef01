//! Until when the value of an expression stays what it is while the clock moves on.

use hence_core::literal::LAST_TIME;
use hence_core::value::{Type, Word};

use super::calendar::{DAY, HOUR, MINUTE};
use super::expr::{Expr, ExprKind, VarId};
use super::op::Op;
use super::text;
use super::zone::{self, Shown};

/// The variable that holds the clock; those after it are other values of a match.
pub const CLOCK: VarId = VarId(0);

/// Until when a value stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Up to this instant, at which it may change.
    Instant(i64),
    /// For ever.
    Forever,
    /// Nothing is known: it may change at every instant.
    Unknown,
}

/// How a value follows the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slope {
    /// Not at all.
    Flat,
    /// It grows by a microsecond in each.
    Unit,
    /// It never falls.
    Up,
    /// It never grows.
    Down,
}

/// The values under which an expression is looked at, that of [`CLOCK`] first.
#[derive(Debug)]
pub struct Match<'a> {
    /// By [`VarId`].
    pub vars: &'a mut [Word],
    /// The values of the parameters.
    pub params: &'a [Word],
}

/// The last instant that a clock can show.
pub fn last_instant() -> i64 {
    LAST_TIME
}

/// Whether an expression reads the clock.
pub fn reads_clock(expr: &Expr) -> bool {
    let mut reads = false;
    expr.for_each_var(&mut |var| reads |= var == CLOCK);
    reads
}

impl Until {
    /// The earlier of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Forever, until) | (until, Self::Forever) => until,
            (Self::Instant(one), Self::Instant(other)) => Self::Instant(one.min(other)),
        }
    }

    fn later(self, by: i64) -> Self {
        match self {
            Self::Instant(at) => at.checked_add(by).map_or(Self::Forever, Self::Instant),
            other => other,
        }
    }
}

impl Slope {
    fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Flat, slope) | (slope, Self::Flat) => Some(slope),
            (Self::Down, Self::Down) => Some(Self::Down),
            (Self::Down, _) | (_, Self::Down) => None,
            _ => Some(Self::Up),
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::Flat => Self::Flat,
            Self::Unit | Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }

    /// Where steps or another unit come in.
    fn stepped(self) -> Self {
        if self == Self::Unit { Self::Up } else { self }
    }
}

impl Match<'_> {
    /// Up to which instant `expr` has the value, or no result, that it has now.
    ///
    /// Comparisons of values that only grow or only fall with the clock change where they cross, which is looked for by
    /// bisection and so is exact for each operation; the calendar changes at the next minute, hour or day of its zone.
    pub fn until(&mut self, expr: &Expr) -> Until {
        match &expr.kind {
            _ if !reads_clock(expr) => Until::Forever,
            ExprKind::Call(op, args) => self.until_of_call(*op, args),
            ExprKind::Undefined(operand) if self.slope(operand).is_some() => {
                self.until_other(None, |this| this.value(operand).map(|_| ()))
            }
            ExprKind::Var(_) => Until::Unknown,
            _ => self.until_of_parts(expr.parts()),
        }
    }

    fn until_of_parts<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Until {
        parts.into_iter().fold(Until::Forever, |until, part| until.or(self.until(part)))
    }

    fn until_of_call(&mut self, op: Op, args: &[Expr]) -> Until {
        if let ([a, b], true) = (args, is_comparison(op))
            && let (Some(of_a), Some(of_b)) = (self.slope(a), self.slope(b))
            && of_a.plus(of_b.negated()).is_some()
        {
            let order = |this: &Self| Some((this.value(a)?.as_int(), this.value(b)?.as_int()));
            let apart = order(self).and_then(|(a, b)| i64::try_from(a.abs_diff(b)).ok());
            let meet = apart.and_then(|apart| self.now().checked_add(apart));
            return self.until_other(meet, |this| order(this).map(|(a, b)| a.cmp(&b)));
        }
        match args {
            [at, rest @ ..] if self.slope(at) == Some(Slope::Unit) && !rest.iter().any(reads_clock) => {
                match (self.value(at), self.now()) {
                    (Some(shown), now) => {
                        self.until_shown(op, shown.as_int(), rest).later(now - shown.as_int())
                    }
                    (None, _) => Until::Unknown,
                }
            }
            _ => self.until_of_parts(args),
        }
    }

    fn now(&self) -> i64 {
        self.vars.first().map_or(0, |word| word.as_int())
    }

    fn value(&self, expr: &Expr) -> Option<Word> {
        expr.eval(self.vars, self.params).ok()
    }

    /// The next time after `at` from which on the calendar shows something else.
    fn until_shown(&self, op: Op, at: i64, rest: &[Expr]) -> Until {
        let next = |step: i64| {
            let next = at.checked_sub(at.rem_euclid(step)).and_then(|began| began.checked_add(step));
            next.map_or(Until::Forever, Until::Instant)
        };
        let word = |place: usize| rest.get(place).and_then(|expr| self.value(expr));
        let unit = |word: Option<Word>| match word.map(text::of) {
            Some("/hour") => Shown::Hour,
            _ => Shown::Day,
        };
        let local = |shown: Shown, zone: Option<Word>| {
            let Some(zone) = zone else { return Until::Forever };
            zone::next_shown(at, zone.as_symbol(), shown).map_or(Until::Unknown, Until::Instant)
        };
        match op {
            Op::Minute | Op::Clock => next(MINUTE),
            Op::Hour => next(HOUR),
            Op::Year | Op::Month | Op::Day | Op::Weekday | Op::Date => next(DAY),
            Op::MinuteIn => local(Shown::Minute, word(0)),
            Op::HourIn => local(Shown::Hour, word(0)),
            Op::YearIn | Op::MonthIn | Op::DayIn | Op::WeekdayIn | Op::DateIn => local(Shown::Day, word(0)),
            Op::Truncate => match word(0).map(|step| step.as_int()) {
                Some(step) if step > 0 => next(step),
                _ => Until::Forever,
            },
            Op::TruncateTo => next(if unit(word(0)) == Shown::Hour { HOUR } else { DAY }),
            Op::TruncateToIn => local(unit(word(0)), word(1)),
            _ => Until::Unknown,
        }
    }

    /// Until `state`, which the clock takes from one to the next and never back, is another one; likely about `guess`.
    fn until_other<S: PartialEq>(&mut self, guess: Option<i64>, state: impl Fn(&Self) -> Option<S>) -> Until {
        let (now, before) = (self.now(), state(self));
        if before.is_none() {
            return Until::Unknown;
        }
        let mut is_same = |at: i64| {
            self.set(at);
            state(self) == before
        };
        let last = last_instant();
        let until = if now >= last || is_same(last) {
            Until::Forever
        } else {
            let guesses = guess.into_iter().flat_map(|guess| [guess, guess.saturating_add(1)]);
            let mut guesses = guesses.filter(|at| (now + 1..=last).contains(at));
            let right = guesses.find(|at| !is_same(*at) && is_same(*at - 1));
            Until::Instant(right.unwrap_or_else(|| first_other(now, last, &mut is_same)))
        };
        self.set(now);
        until
    }

    fn set(&mut self, now: i64) {
        if let Some(clock) = self.vars.first_mut() {
            *clock = Word::from_int(now);
        }
    }

    /// How a value follows the clock, as far as it is known; one without a result over some span has one before or after
    /// it, and not both.
    fn slope(&self, expr: &Expr) -> Option<Slope> {
        match &expr.kind {
            ExprKind::Var(CLOCK) => Some(Slope::Unit),
            _ if !reads_clock(expr) => Some(Slope::Flat),
            ExprKind::Call(op, args) => match args.as_slice() {
                [a] => self.slope_of_one(*op, a),
                [a, b] => self.slope_of_two(*op, a, b),
                _ => None,
            },
            _ => None,
        }
    }

    fn slope_of_one(&self, op: Op, a: &Expr) -> Option<Slope> {
        let slope = self.slope(a)?;
        match op {
            Op::NegInt | Op::NegFloat => Some(slope.negated()),
            Op::Seconds | Op::Minutes | Op::Hours | Op::Days => Some(slope.stepped()),
            Op::IntOfFloat | Op::Floor | Op::Ceil | Op::Round | Op::FloatOfInt => Some(slope.stepped()),
            _ => None,
        }
    }

    fn slope_of_two(&self, op: Op, a: &Expr, b: &Expr) -> Option<Slope> {
        let (of_a, of_b) = (self.slope(a)?, self.slope(b)?);
        match op {
            Op::AddTime | Op::AddInt => of_a.plus(of_b),
            Op::SubTime | Op::SubInt => of_a.plus(of_b.negated()),
            Op::AddFloat => Some(of_a.plus(of_b)?.stepped()),
            Op::SubFloat => Some(of_a.plus(of_b.negated())?.stepped()),
            Op::Min | Op::Max => Some(of_a.stepped().plus(of_b.stepped())?.stepped()),
            Op::Truncate if of_b == Slope::Flat => Some(of_a.stepped()),
            Op::MulInt | Op::MulFloat | Op::ScaleDuration | Op::ScaleByDuration => {
                if of_b == Slope::Flat {
                    self.scaled(of_a, b)
                } else {
                    self.scaled(of_b, a).filter(|_| of_a == Slope::Flat)
                }
            }
            Op::DivInt | Op::DivFloat | Op::DivDuration | Op::ShareDuration if of_b == Slope::Flat => {
                self.scaled(of_a, b)
            }
            _ => None,
        }
    }

    /// A slope times or divided by a value that stays.
    fn scaled(&self, slope: Slope, by: &Expr) -> Option<Slope> {
        let word = self.value(by)?;
        let is_positive = match by.ty {
            Type::Float => word.as_float() > 0.0,
            _ => word.as_int() > 0,
        };
        let is_zero = word == Word::from_int(0) || by.ty == Type::Float && word.as_float() == 0.0;
        let slope = slope.stepped();
        (!is_zero).then(|| if is_positive { slope } else { slope.negated() })
    }
}

/// The first instant of another state between `now`, which has the state before, and `last`, which hasn't.
fn first_other(now: i64, last: i64, is_same: &mut impl FnMut(i64) -> bool) -> i64 {
    let (mut same, mut other, mut step) = (now, last, 1_000_000_i64);
    // Most comparisons change soon, seen from the age of the universe.
    while let Some(probe) = same.checked_add(step).filter(|probe| *probe < other) {
        if !is_same(probe) {
            other = probe;
            break;
        }
        same = probe;
        step = step.saturating_mul(8);
    }
    while other - same > 1 {
        let middle = same + (other - same) / 2;
        if is_same(middle) {
            same = middle;
        } else {
            other = middle;
        }
    }
    other
}

fn is_comparison(op: Op) -> bool {
    matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual)
}
