//! Steps towards the value of an aggregate, and towards a place among those that a limit keeps.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::Kind;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Literal, Rule, RuleId};

use super::super::derive::Match;
use super::super::matches::BodyMatches;
use super::super::plans::Begin;
use super::super::ranking::Ranking;
use super::change::Change;
use super::ideas::{At, Ideas, TRIED};
use super::relax::{self, Known, Relaxed};
use super::want::{self, Slot, Want};
use super::{FUEL, nearest};

/// How many matches of a group are looked at.
const GROUP: usize = 4_096;

/// How many groups are looked at where any will do.
const GROUPS: usize = 4;

/// An aggregate of a head that has another value than is wanted.
struct Missed<'r> {
    name: &'static str,
    args: &'r [Expr],
    want: Want,
    /// What it is.
    value: Word,
    ty: Type,
}

impl Missed<'_> {
    /// Whether it is more than is wanted.
    fn is_more(&self) -> bool {
        match self.want {
            Want::Than(name, _) => matches!(name, "<" | "<="),
            Want::Is(word) => self.ty.compare(self.value, word).is_gt(),
            Want::Any => false,
        }
    }

    /// Whether it may help to take matches with these values out of the group, and to add some.
    fn helps(&self, values: &[Option<f64>]) -> (bool, bool) {
        let (grows, shrinks) = match self.name {
            "count" | "max" => (true, false),
            "min" => (false, true),
            "sum" if values.iter().flatten().all(|value| *value >= 0.0) => (true, false),
            _ => return (true, true),
        };
        if matches!(self.want, Want::Than("!=", _)) {
            return (true, true);
        }
        // What grows with each match is too much where some have to go.
        if self.is_more() { (grows, shrinks) } else { (shrinks, grows) }
    }
}

impl<'a> Ideas<'_, 'a> {
    pub(super) fn by_aggregate(
        &mut self,
        (id, rule): (RuleId, &'a Rule),
        wants: &[Want],
        known: &Known<'_>,
        left: usize,
        depth: usize,
    ) {
        let whole = relax::matches(&self.finder.context, rule, known, 0, &mut self.fuel);
        let heads = whole.iter().filter_map(|found| self.group_of(rule, found));
        let mut groups: Vec<Vec<Option<Word>>> = Vec::new();
        for head in heads {
            if !groups.contains(&head) && groups.len() < GROUPS {
                groups.push(head);
            }
        }
        for group in &groups {
            self.by_group((id, rule), group, wants, left, depth);
        }
        let more = wants.iter().zip(&rule.terms).map(|(want, term)| match (want, term) {
            (Want::Is(word) | Want::Than(">" | ">=", word), Term::Aggregate { aggregate, .. })
                if aggregate.name() == "count" =>
            {
                usize::try_from(word.as_int() - 1).unwrap_or(0)
            }
            _ => 0,
        });
        let more = if groups.is_empty() { more.max().unwrap_or(0) } else { 0 };
        if groups.is_empty() || wants.contains(&Want::Any) {
            let sample = self.sample(rule, &known.vars);
            for alone in alone(rule, wants, (&sample, &self.finder.context.params)) {
                let known = Known { vars: known.vars.clone(), wants: &alone };
                self.another_match((id, rule), &known, left, depth);
            }
            self.another_match((id, rule), known, left + more, depth);
        }
    }

    /// Words for the variables of a rule: those known, else those of the facts that made-up ones are like.
    fn sample(&self, rule: &Rule, known: &[Option<Word>]) -> Vec<Word> {
        let context = &self.finder.context;
        let mut sample = Relaxed::whole(known.iter().copied(), []);
        for atom in rule.body.iter().filter_map(Literal::positive) {
            if context.program[atom.relation].kind != Kind::Input {
                continue;
            }
            let key = sample.key(atom, &context.params);
            let Some(like) = self.templates.like(atom.relation, &key) else { continue };
            for (arg, value) in atom.args.iter().zip(&like.values) {
                if let Arg::Var(var) = arg {
                    let slot = sample.vars.get_mut(var.at()).or_broken(VarId::INVARIANT);
                    slot.get_or_insert(value.word());
                }
            }
        }
        sample.words().into_vec()
    }

    /// Steps that give a group one more match.
    fn another_match(
        &mut self,
        (id, rule): (RuleId, &'a Rule),
        known: &Known<'_>,
        left: usize,
        depth: usize,
    ) {
        let mut met = 0;
        for failing in 1..=self.budget {
            let found = relax::matches(&self.finder.context, rule, known, failing, &mut self.fuel);
            for found in &found {
                self.repair(At { id, rule, found, wants: known.wants, left: left + failing - 1, depth });
            }
            met += usize::from(!found.is_empty());
            if met == 2 {
                break;
            }
        }
        self.together(rule, known, left);
    }

    /// The columns of the group that a match belongs to; nothing where one is unknown.
    fn group_of(&self, rule: &Rule, found: &Relaxed) -> Option<Vec<Option<Word>>> {
        let words = found.words();
        let column = |term: &Term| match term {
            Term::Expr(expr) => expr.eval(&words, &self.finder.context.params).ok().map(Some),
            Term::Aggregate { .. } => Some(None),
        };
        rule.terms.iter().map(column).collect()
    }

    /// Steps that change the value of a group that there is.
    fn by_group(
        &mut self,
        (id, rule): (RuleId, &'a Rule),
        head: &[Option<Word>],
        wants: &[Want],
        left: usize,
        depth: usize,
    ) {
        let fits = head.iter().zip(wants).zip(&rule.terms).all(|((word, want), term)| match (word, term) {
            (Some(word), Term::Expr(expr)) => want.admits(expr.ty, *word),
            _ => true,
        });
        let matches = self.matches_of((id, rule), head);
        let Some(missed) = self.missed(rule, &matches, wants).filter(|_| fits) else { return };
        let values: Vec<Option<f64>> =
            matches.iter().map(|found| self.argument(&missed, &found.vars)).collect();
        let (fewer, others) = missed.helps(&values);
        if fewer {
            self.without_some(rule, &matches, (&missed, &values), left, depth);
        }
        if !others {
            return;
        }
        let mut vars = vec![None; rule.variables.len()];
        for (term, word) in rule.terms.iter().zip(head) {
            if let (Term::Expr(Expr { kind: ExprKind::Var(var), .. }), Some(word)) = (term, word) {
                *vars.get_mut(var.at()).or_broken(VarId::INVARIANT) = Some(*word);
            }
        }
        let more = missing(&missed, matches.len());
        for wants in self.argument_wants(rule, &matches, (&missed, &values)) {
            let known = Known { vars: vars.clone(), wants: &wants };
            self.another_match((id, rule), &known, left + more, depth);
        }
    }

    fn matches_of(&self, (id, rule): (RuleId, &'a Rule), head: &[Option<Word>]) -> Vec<Match> {
        let finder = self.finder;
        let plan = finder.plans().get(&finder.context, id, rule, Begin::Head);
        let row: Vec<Word> = head.iter().map(|word| word.unwrap_or_default()).collect();
        let mut all = BodyMatches::new(&finder.context, (rule, plan), &row, None).sorted().with_fuel(FUEL);
        let mut found = Vec::new();
        while found.len() < GROUP && all.next() {
            found.push(all.found());
        }
        found
    }

    /// The first aggregate whose value isn't wanted.
    fn missed<'r>(&self, rule: &'r Rule, matches: &[Match], wants: &[Want]) -> Option<Missed<'r>> {
        let params = &self.finder.context.params;
        let mut tally = super::super::group::Tally::new(rule);
        matches.iter().for_each(|found| {
            tally.add(&found.vars, params);
        });
        let values = tally.finish()?;
        let types = self.finder.context.types(rule.head);
        values.into_iter().find_map(|(column, word)| {
            let (want, ty) = (*wants.get(column)?, *types.get(column)?);
            let Term::Aggregate { aggregate, args, .. } = rule.terms.get(column)? else { return None };
            (!want.admits(ty, word)).then(|| Missed { name: aggregate.name(), args, want, value: word, ty })
        })
    }

    /// What a match gives the aggregate, as a number; 1 where it only counts.
    fn argument(&self, missed: &Missed<'_>, vars: &[Word]) -> Option<f64> {
        let Some(arg) = missed.args.first().filter(|_| missed.name != "count") else { return Some(1.0) };
        let word = arg.eval(vars, &self.finder.context.params).ok()?;
        match arg.ty {
            Type::Bool => Some(f64::from(u8::from(word.as_bool()))),
            ty => nearest::numbers(ty, word, word).map(|(number, _)| number),
        }
    }

    /// Steps that take matches out of a group, those first that weigh most against what is wanted.
    fn without_some(
        &mut self,
        rule: &Rule,
        matches: &[Match],
        (missed, values): (&Missed<'_>, &[Option<f64>]),
        left: usize,
        depth: usize,
    ) {
        let less = missed.is_more();
        let mut order: Vec<(f64, &Match)> =
            values.iter().zip(matches).map(|(value, found)| (value.unwrap_or(0.0), found)).collect();
        order.sort_by(|(one, _), (other, _)| if less { other.total_cmp(one) } else { one.total_cmp(other) });
        let more = self.too_many(missed, &order);
        for (_, found) in order.iter().take(TRIED) {
            let facts: Vec<_> = found.facts(rule).collect();
            facts.into_iter().for_each(|fact| self.unmake(fact, left + more, depth + 1));
        }
    }

    /// How many matches have to go beside one, as far as that is known.
    fn too_many(&self, missed: &Missed<'_>, order: &[(f64, &Match)]) -> usize {
        let Some(limit) = limit_of(missed) else { return 0 };
        let is_met = |gone: usize| {
            let rest = order.iter().skip(gone).map(|(value, _)| *value);
            let count = order.len().saturating_sub(gone) as f64;
            let value = match missed.name {
                "count" => count,
                "sum" => rest.sum(),
                "mean" if count > 0.0 => rest.sum::<f64>() / count,
                "max" => rest.fold(f64::NEG_INFINITY, f64::max),
                "min" => rest.fold(f64::INFINITY, f64::min),
                _ => return true,
            };
            match missed.want {
                Want::Than("<", _) => value < limit,
                Want::Than("<=", _) => value <= limit,
                Want::Than(">", _) => value > limit,
                Want::Than(">=", _) => value >= limit,
                Want::Is(_) if missed.is_more() => value <= limit,
                Want::Is(_) => value >= limit,
                _ => true,
            }
        };
        (1..=self.budget).find(|gone| is_met(*gone)).map_or(0, |gone| gone - 1)
    }

    /// What variables of one more match would have to be: by the value that the aggregate lacks, and anything.
    fn argument_wants(
        &self,
        rule: &Rule,
        matches: &[Match],
        (missed, values): (&Missed<'_>, &[Option<f64>]),
    ) -> Vec<Vec<Want>> {
        let mut all = Vec::new();
        let sum: f64 = values.iter().flatten().sum();
        let count = values.len() as f64;
        let wanted = limit_of(missed).and_then(|limit| match missed.name {
            "sum" => Some(limit - sum),
            "mean" => Some(limit * (count + 1.0) - sum),
            "max" | "min" => Some(limit),
            _ => None,
        });
        let (arg, template) = (missed.args.first(), matches.first());
        if let (Some(wanted), Some(arg), Some(template), Some((name, _))) =
            (wanted, arg, template, comparison_of(missed.want))
        {
            let limit = number(arg.ty, wanted);
            for (slot, ty) in want::slots(arg) {
                let at = (template.vars.as_slice(), self.finder.context.params.as_slice());
                let solved = limit.and_then(|limit| want::solve((arg, name, limit), (slot, ty), at));
                if let (Slot::Var(var), Some(want)) = (slot, solved) {
                    all.push(only(rule, var, want));
                }
            }
        }
        if let (Some(arg), true) = (arg, missed.ty == Type::Bool) {
            for (slot, _) in want::slots(arg) {
                let Slot::Var(var) = slot else { continue };
                for held in [true, false] {
                    all.push(only(rule, var, Want::Is(Word::from_bool(held))));
                }
            }
        }
        all.push(vec![Want::Any; rule.variables.len()]);
        all
    }

    /// Steps that bring a match among those that a limit keeps: fewer before it, a higher limit, a better key.
    pub(super) fn by_limit(&mut self, at: At<'_>) {
        let finder = self.finder;
        let (context, id) = (&finder.context, at.id);
        let rule = &context.program[id];
        let Some(limit) = &rule.limit else { return };
        let group = finder.plans().get(context, id, rule, Begin::Per);
        let ranking = Ranking { context, id, rule, limit, group };
        let words = at.found.words();
        let (Some(keep), Some(head)) = (ranking.keep(), ranking.head(&words)) else { return };
        let heads = ranking.heads(&ranking.per(&words));
        let Some(place) = heads.iter().position(|(other, _)| *other == head).filter(|place| *place >= keep)
        else {
            return;
        };
        if let ExprKind::Param(param) = limit.count.kind {
            let known = &context.program[param];
            let value = Value::Int(place as i64 + 1);
            self.push(vec![Change::Set(known.name, known.value, value)], at.left);
        }
        let last = keep.checked_sub(1).and_then(|last| heads.get(last));
        let own = heads.get(place).map(|(_, keys)| keys);
        // A better key before fewer others: each of those can go in more ways than a search has time for.
        for (((key, descending), last), own) in
            limit.by.iter().zip(last.iter().flat_map(|(_, keys)| keys)).zip(own.into_iter().flatten())
        {
            self.fix_side(at, key, if *descending { ">" } else { "<" }, *last);
            if last != own {
                break;
            }
        }
        let plan = finder.plans().get(context, id, rule, Begin::Head);
        for (other, _) in heads.iter().take(place).rev().take(TRIED) {
            let mut all = BodyMatches::new(context, (rule, plan.clone()), other, None).sorted();
            let found = all.next().then(|| all.found());
            let shared = |fact| at.found.rows.iter().any(|(_, own)| *own == fact);
            let facts: Vec<_> = found.iter().flat_map(|found| found.facts(rule)).collect();
            for fact in facts.into_iter().filter(|fact| !shared(*fact)) {
                self.unmake(fact, at.left + (place - keep), at.depth + 1);
            }
        }
    }
}

/// What variables would have to be in a match that has a group to itself, for its value to be wanted.
fn alone(rule: &Rule, wants: &[Want], at: (&[Word], &[Word])) -> Vec<Vec<Want>> {
    let mut all = Vec::new();
    for (term, want) in rule.terms.iter().zip(wants) {
        let (Term::Aggregate { aggregate, args, .. }, Some((name, limit))) = (term, comparison_of(*want))
        else {
            continue;
        };
        let Some(arg) = args.first().filter(|_| aggregate.name() != "count") else { continue };
        for (slot, ty) in want::slots(arg) {
            let solved = want::solve((arg, name, limit), (slot, ty), at);
            if let (Slot::Var(var), Some(want)) = (slot, solved) {
                all.push(only(rule, var, want));
            }
        }
    }
    all
}

/// What is wanted of the variables of a rule where it is something of one alone.
fn only(rule: &Rule, var: VarId, want: Want) -> Vec<Want> {
    let mut wants = vec![Want::Any; rule.variables.len()];
    *wants.get_mut(var.at()).or_broken(VarId::INVARIANT) = want;
    wants
}

/// How many matches a count lacks beside one.
fn missing(missed: &Missed<'_>, matches: usize) -> usize {
    let wanted = match (missed.name, missed.want) {
        ("count", Want::Is(word) | Want::Than(">=", word)) => word.as_int(),
        ("count", Want::Than(">", word)) => word.as_int().saturating_add(1),
        _ => return 0,
    };
    usize::try_from(wanted).unwrap_or(0).saturating_sub(matches + 1)
}

fn comparison_of(want: Want) -> Option<(&'static str, Word)> {
    match want {
        Want::Any => None,
        Want::Is(word) => Some(("=", word)),
        Want::Than(name, word) => Some((name, word)),
    }
}

/// The number that a value is compared with.
fn limit_of(missed: &Missed<'_>) -> Option<f64> {
    let (_, limit) = comparison_of(missed.want)?;
    nearest::numbers(missed.ty, limit, limit).map(|(number, _)| number)
}

/// A number as a word.
fn number(ty: Type, number: f64) -> Option<Word> {
    match ty {
        Type::Float => Word::from_float(number),
        Type::Int | Type::Time | Type::Duration if number.abs() < 9.0e18 => {
            Some(Word::from_int(number.round() as i64))
        }
        _ => None,
    }
}
