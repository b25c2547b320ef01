//! A random rule for a relation, safe and well typed by the way it is made.

use std::collections::BTreeSet;

use hence_core::value::Type::{self, Bool, Duration, Float, Int, List, Name, String as Text, Time};

use super::dice::Dice;
use super::expr::{self, TYPES, Var, condition, expr, literal};
use super::program::{Relation, RuleText, column};

/// What kind of rule is made.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Aggregate,
    Limit,
}

/// A rule for `relations[head]`.
pub(super) fn random(dice: &mut Dice, relations: &[Relation], head: usize, dense: bool) -> RuleText {
    let target = &relations[head];
    let form = match dice.below(10) {
        0..=5 => Form::Plain,
        6 | 7 if !target.types.is_empty() => Form::Aggregate,
        8 => Form::Limit,
        9 if dice.chance(50) => Form::Limit,
        _ => Form::Plain,
    };
    let mut body =
        Body { dice, dense, vars: Vec::new(), lower: BTreeSet::new(), literals: Vec::new(), spare: None };
    body.fill(relations, target.group, form);
    let ranked = target.types.contains(&Int);
    let limit = (form == Form::Limit).then(|| body.limit(ranked));
    let terms = body.head(target, form, limit.as_ref().and_then(|(_, rank)| rank.as_ref()));
    let Body { dice, mut literals, spare, .. } = body;
    dice.shuffle(&mut literals);
    RuleText {
        head: format!("{}({})", target.name, terms.join(", ")),
        body: literals,
        limit: limit.map(|(text, _)| text),
        spare,
    }
}

/// A body that is being made.
struct Body<'d> {
    dice: &'d mut Dice,
    dense: bool,
    vars: Vec<Var>,
    /// The variables that atoms of lower groups bind: an aggregate in a recursive rule may share these alone.
    lower: BTreeSet<String>,
    literals: Vec<String>,
    spare: Option<(String, String)>,
}

impl Body<'_> {
    fn fill(&mut self, relations: &[Relation], group: usize, form: Form) {
        let lower: Vec<&Relation> = relations.iter().filter(|relation| relation.group < group).collect();
        let within = if form == Form::Plain { group } else { group - 1 };
        let readable: Vec<&Relation> = relations.iter().filter(|relation| relation.group <= within).collect();
        for _ in 0..1 + self.dice.below(3) {
            let relation = self.dice.pick(&readable).clone();
            let terms = self.atom(&relation);
            if relation.group < group {
                self.lower.extend(terms);
            }
        }
        let most = if self.dense && self.dice.chance(80) { 2 } else { 9 };
        for _ in 0..self.dice.below(if self.dense { 3 } else { 4 }) {
            match self.dice.below(most) {
                0 if self.dense => {
                    let relation = self.dice.pick(&readable).clone();
                    self.atom(&relation);
                }
                0 | 1 => {
                    let relation = self.dice.pick(&lower).clone();
                    self.negated(&relation);
                }
                2 | 3 => self.bind(),
                4 => self.each(),
                _ => self.condition(),
            }
        }
        if self.dice.chance(if self.dense { 10 } else { 25 }) {
            for _ in 0..1 + self.dice.below(2) {
                self.inner(&lower);
            }
        }
        if form == Form::Plain && self.dice.chance(15) {
            self.inner_of_recursion(&lower);
        }
        if form != Form::Plain && self.literals.is_empty() {
            self.literals.push(String::from("param_i > 0"));
        }
    }

    fn fresh(&mut self, ty: Type) -> String {
        let name = format!("V{}", self.vars.len());
        self.vars.push(Var { name: name.clone(), ty });
        name
    }

    fn known(&mut self, ty: Type) -> Option<String> {
        let known: Vec<String> =
            self.vars.iter().filter(|var| var.ty == ty).map(|var| var.name.clone()).collect();
        if known.is_empty() { None } else { Some(self.dice.pick(&known)) }
    }

    /// A positive atom, and its terms; what it binds is known once it is made.
    fn atom(&mut self, relation: &Relation) -> Vec<String> {
        let before = self.vars.clone();
        // A dense body joins more than it multiplies.
        let known = if self.dense { 20 } else { 0 };
        let terms: Vec<String> = relation
            .types
            .iter()
            .map(|&ty| match self.dice.below(100 + known).saturating_sub(known) {
                0..=44 => self.known(ty).unwrap_or_else(|| self.fresh(ty)),
                45..=74 => self.fresh(ty),
                75..=84 => String::from("_"),
                85..=87 if ty == Int => String::from("param_i"),
                85..=94 => literal(self.dice, ty),
                _ => expr(self.dice, &before, ty, 1),
            })
            .collect();
        let text = self.terms(relation, terms.clone());
        self.literals.push(text);
        terms
    }

    /// By position, or now and then by name in another order.
    fn terms(&mut self, relation: &Relation, terms: Vec<String>) -> String {
        if terms.is_empty() || self.dice.chance(80) {
            return format!("{}({})", relation.name, terms.join(", "));
        }
        let mut named: Vec<String> = terms
            .iter()
            .enumerate()
            .filter(|(_, term)| *term != "_")
            .map(|(at, term)| format!("{}: {term}", column(at)))
            .collect();
        if named.is_empty() {
            named.push(format!("{}: _", column(0)));
        }
        self.dice.shuffle(&mut named);
        format!("{}({})", relation.name, named.join(", "))
    }

    fn negated(&mut self, relation: &Relation) {
        let vars = self.vars.clone();
        let terms: Vec<String> = relation
            .types
            .iter()
            .map(|&ty| match self.dice.below(100) {
                0..=59 => self.known(ty).unwrap_or_else(|| String::from("_")),
                60..=77 => String::from("_"),
                78..=80 if ty == Int => String::from("param_i"),
                78..=89 => literal(self.dice, ty),
                _ => expr(self.dice, &vars, ty, 1),
            })
            .collect();
        let sign = self.dice.pick(&["!", "not "]);
        let text = self.terms(relation, terms);
        self.literals.push(format!("{sign}{text}"));
    }

    /// `V = count { … }`: its body shares variables of the rule; the names of its own variables are those of every other
    /// such body of the rule.
    fn inner(&mut self, lower: &[&Relation]) {
        let shared: Vec<Var> =
            self.vars.iter().filter(|var| self.lower.contains(&var.name)).cloned().collect();
        let mut own: Vec<Var> = Vec::new();
        let mut literals = Vec::new();
        for _ in 0..1 + self.dice.below(2) {
            let relation = self.dice.pick(lower).clone();
            let mut terms = Vec::new();
            for &ty in &relation.types {
                let known: Vec<Var> = shared.iter().chain(&own).filter(|var| var.ty == ty).cloned().collect();
                terms.push(match self.dice.below(10) {
                    0..=4 if !known.is_empty() => self.dice.pick(&known).name,
                    0..=7 => {
                        own.push(Var { name: format!("L{}", own.len()), ty });
                        format!("L{}", own.len() - 1)
                    }
                    8 => literal(self.dice, ty),
                    _ => String::from("_"),
                });
            }
            literals.push(format!("{}({})", relation.name, terms.join(", ")));
        }
        let vars: Vec<Var> = shared.into_iter().chain(own).collect();
        if self.dice.chance(40) {
            literals.push(expr::comparison(self.dice, &vars, 1));
        }
        if self.dice.chance(15) {
            literals.push(format!("{} > {}", expr(self.dice, &vars, Int, 1), self.dice.below(3)));
        }
        self.dice.shuffle(&mut literals);
        let ty = if self.dice.chance(50) { Int } else { self.dice.pick(&TYPES) };
        let function = self.aggregate(ty, &vars);
        let known = self.known(ty).filter(|_| self.dice.chance(15));
        let name = known.unwrap_or_else(|| self.fresh(ty));
        self.literals.push(format!("{name} = {function} {{ {} }}", literals.join(", ")));
    }

    /// `V = count { … }` whose group may come from the recursion that the rule is in; what stands for it where it may not.
    fn inner_of_recursion(&mut self, lower: &[&Relation]) {
        let relation = self.dice.pick(lower).clone();
        let mut own: Vec<Var> = Vec::new();
        let mut terms = Vec::new();
        for &ty in &relation.types {
            let known = self.known(ty).filter(|_| self.dice.chance(40));
            terms.push(known.unwrap_or_else(|| {
                own.push(Var { name: format!("L{}", own.len()), ty });
                format!("L{}", own.len() - 1)
            }));
        }
        let mut literals = vec![format!("{}({})", relation.name, terms.join(", "))];
        if let Some(local) = own.first().cloned()
            && let Some(shared) = self.known(local.ty)
        {
            literals.push(format!("{} {} {shared}", local.name, self.dice.pick(&["<", ">", "!=", ">="])));
        }
        let function = match own.iter().find(|var| var.ty == Int) {
            Some(var) if self.dice.chance(50) => {
                format!("{}({})", self.dice.pick(&["count", "max", "min"]), var.name)
            }
            _ => String::from("count"),
        };
        let name = self.fresh(Int);
        let literal = format!("{name} = {function} {{ {} }}", literals.join(", "));
        self.spare = Some((literal.clone(), format!("{name} = 1")));
        self.literals.push(literal);
        if self.dice.chance(60) {
            self.literals.push(format!(
                "{name} {} {}",
                self.dice.pick(&["<", ">=", "!="]),
                self.dice.below(3)
            ));
        }
    }

    /// `V = e`, on either side.
    fn bind(&mut self) {
        let ty = self.dice.pick(&TYPES);
        let value = expr(self.dice, &self.vars, ty, 2);
        let name = self.fresh(ty);
        let text =
            if self.dice.chance(70) { format!("{name} = {value}") } else { format!("{value} = {name}") };
        self.literals.push(text);
    }

    /// `V in g`, `V` bound or not.
    fn each(&mut self) {
        if self.dice.chance(30) {
            let ty = self.dice.pick(&TYPES);
            let list = expr::list(self.dice, ty, 1);
            let bound = self.known(ty).filter(|_| self.dice.chance(25));
            let name = bound.unwrap_or_else(|| self.fresh(ty));
            return self.literals.push(format!("{name} in {list}"));
        }
        let vars = self.vars.clone();
        let generator = match self.dice.below(6) {
            0 | 1 => format!(
                "range({}, {})",
                self.dice.pick(&["0", "-1", "1"]),
                self.dice.pick(&["3", "param_i", "0"])
            ),
            2 => format!("range(0, ({}) % 4)", expr(self.dice, &vars, Int, 1)),
            3 => format!("words({})", expr(self.dice, &vars, Text, 1)),
            4 => format!("split({}, \",\")", expr(self.dice, &vars, Text, 1)),
            _ => self
                .dice
                .pick(&["chars(\"aba\")", "captures(\"a1b2\", r\"([a-z])(\\d)\", 2)", "lines(\"a\\nb\")"])
                .to_owned(),
        };
        let ty = if generator.starts_with("range") { Int } else { Text };
        let bound = self.known(ty).filter(|_| self.dice.chance(25));
        let name = bound.unwrap_or_else(|| self.fresh(ty));
        self.literals.push(format!("{name} in {generator}"));
    }

    fn condition(&mut self) {
        let text = match self.dice.below(6) {
            0 => format!("({})", condition(self.dice, &self.vars, 2)),
            1 => format!("!({})", condition(self.dice, &self.vars, 1)),
            2 => self.known(Bool).map_or_else(|| String::from("param_f < 1.0"), |name| format!("!{name}")),
            _ => expr::comparison(self.dice, &self.vars, 2),
        };
        self.literals.push(text);
    }

    /// `limit N per … by … as R`, and the rank's variable.
    fn limit(&mut self, ranked: bool) -> (String, Option<String>) {
        let per: Vec<String> =
            self.vars.iter().map(|var| var.name.clone()).filter(|_| self.dice.chance(25)).collect();
        let per = if per.is_empty() { String::new() } else { format!(" per {}", per.join(", ")) };
        let keys: Vec<String> = (0..1 + self.dice.below(2))
            .map(|_| {
                let ty = self.dice.pick(&TYPES);
                let key = expr(self.dice, &self.vars, ty, 1);
                format!("{key}{}", self.dice.pick(&["", " desc"]))
            })
            .collect();
        let rank = (ranked && self.dice.chance(50)).then(|| String::from("Rank"));
        let bound = rank.as_ref().map(|rank| format!(" as {rank}")).unwrap_or_default();
        let count = self.dice.pick(&["1", "2", "param_i", "3", "2 / param_i"]);
        (format!("limit {count}{per} by {}{bound}", keys.join(", ")), rank)
    }

    fn head(&mut self, target: &Relation, form: Form, rank: Option<&String>) -> Vec<String> {
        let mut terms: Vec<String> = target
            .types
            .iter()
            .map(|&ty| {
                let depth = self.dice.pick(&[0, 0, 0, 1, 2]);
                let term = expr(self.dice, &self.vars, ty, depth);
                // Most recursions end where arithmetic is kept small.
                let grows = ty == Int && depth > 0 && self.dense && self.dice.chance(95);
                if grows { format!("({term}) % 4") } else { term }
            })
            .collect();
        if form == Form::Aggregate {
            let one = self.dice.below(terms.len());
            for (at, ty) in target.types.iter().enumerate() {
                if at == one || self.dice.chance(25) {
                    terms[at] = self.aggregate(*ty, &self.vars.clone());
                }
            }
        }
        if let Some(rank) = rank {
            let place = target.types.iter().position(|ty| *ty == Int).unwrap();
            terms[place] = rank.clone();
        }
        terms
    }

    /// An aggregate whose value is a `ty`.
    fn aggregate(&mut self, ty: Type, vars: &[Var]) -> String {
        let other = self.dice.pick(&TYPES);
        let names: &[&str] = match ty {
            Int => &["count()", "count", "sum", "min", "max", "arg_max", "percentile"],
            Float => &["sum", "mean", "stddev", "median", "mean of int", "min", "percentile"],
            Duration => &["sum", "mean", "median", "max", "arg_min"],
            Time => &["mean", "median", "min", "max"],
            Bool => &["any", "all", "min"],
            Text => &["join", "min", "max", "arg_min", "arg_max"],
            Name => &["min", "max", "arg_max"],
            List(_) => unreachable!("no column is a list"),
        };
        let one = |dice: &mut Dice, ty| expr(dice, vars, ty, 1);
        match self.dice.pick(names) {
            "count()" => String::from("count()"),
            "count" => format!("count({})", one(self.dice, other)),
            "mean of int" => format!("mean({})", one(self.dice, Int)),
            "percentile" => format!(
                "percentile({}, {})",
                one(self.dice, ty),
                self.dice.pick(&["0.5", "param_f", "0.95", "1.0"])
            ),
            "join" => format!("join({}, \"+\")", one(self.dice, Text)),
            name @ ("arg_max" | "arg_min") => {
                format!("{name}({}, {})", one(self.dice, ty), one(self.dice, other))
            }
            name => format!("{name}({})", one(self.dice, ty)),
        }
    }
}
