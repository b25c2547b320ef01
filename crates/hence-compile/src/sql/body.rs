//! The body of a rule: a table of its matches, in layers.
//!
//! The innermost layer joins the positive atoms and generators, and names each variable that they bind `v0`, `v1`, …; each
//! `=` that binds a variable is a layer of its own around it. What must hold stands in the outermost `WHERE`. Terms that
//! can be NULL, because an operation may have no result, are kept apart from those that can't.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fault::broken;
use hence_core::list;
use hence_core::value::Value;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule};

use super::dialect::Dialect;
use super::expression::Expressions;
use super::operation::constant;
use super::refusal::{UnsupportedConstruct, Written};

/// What all bodies of a script share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    pub(super) dialect: Dialect,
    /// Whether the script compares, and leaves nothing behind.
    pub(super) is_test: bool,
    /// The literal of a rule that reads the recursion which the rule is in, and what it reads there.
    pub(super) recursion: Option<(usize, &'a str)>,
}

impl Context<'_> {
    /// What an atom, the literal with a number, reads.
    fn read(self, literal: usize, atom: &Atom) -> String {
        match self.recursion {
            Some((own, name)) if own == literal => name.to_owned(),
            _ => self.table(atom.relation),
        }
    }

    /// That a column has a value.
    fn equals(self, place: &str, value: Value) -> String {
        format!("{place} = {}", self.dialect.literal(value))
    }
}

/// Which literals take part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All.
    Whole,
    /// Those that depend on no operation that may have no result, and such operations themselves.
    Certain,
}

/// A body in SQL.
#[derive(Default)]
pub(super) struct Body {
    from: Vec<String>,
    columns: Vec<String>,
    joins: Vec<String>,
    layers: Vec<String>,
    /// What holds or doesn't.
    pub(super) holds: Vec<String>,
    /// What may be NULL, too.
    pub(super) may: Vec<String>,
}

impl Body {
    /// The table of the matches, called `b`; what must hold of them is left to its reader.
    pub(super) fn table(&self) -> String {
        let columns =
            if self.columns.is_empty() { String::from("1 AS one") } else { self.columns.join(", ") };
        let from =
            if self.from.is_empty() { String::new() } else { format!(" FROM {}", self.from.join(", ")) };
        let joins = conditions(&self.joins);
        let base = format!("(SELECT {columns}{from}{joins}) AS b");
        self.layers.iter().fold(base, |inner, layer| format!("(SELECT b.*, {layer} FROM {inner}) AS b"))
    }

    /// The table with all that must hold.
    pub(super) fn matches(&self) -> String {
        let all: Vec<String> = self.holds.iter().chain(&self.may).cloned().collect();
        format!("{}{}", self.table(), conditions(&all))
    }
}

/// `WHERE` of these, if there are any.
fn conditions(all: &[String]) -> String {
    if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) }
}

/// A variable as the layers around the innermost one know it.
pub(super) fn outer(var: VarId) -> String {
    format!("b.v{}", var.0)
}

/// That an operation has a result.
pub(super) fn known(value: &str) -> String {
    format!("(CASE WHEN {value} IS NOT NULL THEN TRUE END)")
}

/// The variables whose values depend on operations that may have no result.
pub(super) fn uncertain(rule: &Rule) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for literal in &rule.body {
            if let Literal::Bind { var, expr, .. } = literal
                && (expr.may_fail() || reads(expr, &found))
            {
                found.insert(*var);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether an expression reads one of some variables.
pub(super) fn reads(expr: &Expr, vars: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    expr.for_each_var(&mut |var| found |= vars.contains(&var));
    found
}

impl Part {
    /// Whether an atom takes part, where these variables depend on operations.
    fn takes(self, atom: &Atom, uncertain: &BTreeSet<VarId>) -> bool {
        self == Self::Whole || !atom.vars().any(|var| uncertain.contains(&var))
    }
}

/// The variables that are known, with those that `=` and generators make of them.
fn computed(rule: &Rule, mut known: BTreeSet<VarId>) -> BTreeSet<VarId> {
    loop {
        let before = known.len();
        for literal in &rule.body {
            if let Literal::Bind { var, .. } | Literal::Each { var, .. } = literal
                && literal.is_ready(|var| known.contains(&var))
            {
                known.insert(*var);
            }
        }
        if known.len() == before {
            return known;
        }
    }
}

/// The body of a rule on its way.
pub(super) struct Builder<'a> {
    context: Context<'a>,
    rule: &'a Rule,
    part: Part,
    uncertain: BTreeSet<VarId>,
    /// The variables that literals compute.
    bound: BTreeSet<VarId>,
    /// The variables of atoms and generators in the innermost layer.
    base: BTreeMap<VarId, String>,
    body: Body,
}

impl<'a> Builder<'a> {
    pub(super) fn new(context: Context<'a>, rule: &'a Rule, part: Part) -> Self {
        let bind = |literal: &Literal| match literal {
            Literal::Bind { var, .. } => Some(*var),
            _ => None,
        };
        let uncertain = uncertain(rule);
        let mut bound: BTreeSet<VarId> = rule.body.iter().filter_map(bind).collect();
        let atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Atom(atom) => Some(atom),
            _ => None,
        });
        let atoms = atoms.filter(|atom| part.takes(atom, &uncertain));
        let in_atoms: BTreeSet<VarId> = atoms.flat_map(Atom::vars).collect();
        // What can't be computed in this part is what its atoms say, if they say something.
        loop {
            let known = computed(rule, in_atoms.difference(&bound).copied().collect());
            let before = bound.len();
            bound.retain(|var| known.contains(var) || !in_atoms.contains(var));
            if bound.len() == before {
                break;
            }
        }
        Self { context, rule, part, uncertain, bound, base: BTreeMap::new(), body: Body::default() }
    }

    /// The body.
    pub(super) fn build(mut self) -> Written<Body> {
        let rule = self.rule;
        for (at, literal) in rule.body.iter().enumerate() {
            if let Literal::Atom(atom) = literal
                && self.takes(atom)
            {
                self.atom(at, atom);
            }
        }
        self.generators()?;
        self.base.iter().for_each(|(var, place)| self.body.columns.push(format!("{place} AS v{}", var.0)));
        let known = self.binds()?;
        for (at, literal) in rule.body.iter().enumerate() {
            self.condition(literal, &known)?;
            self.where_computed(at, literal, &known);
        }
        Ok(self.body)
    }

    /// An atom that is left out since operations compute what it has must hold all the same where they have results.
    fn where_computed(&mut self, at: usize, literal: &Literal, known: &BTreeSet<VarId>) {
        let (Literal::Atom(atom) | Literal::Not(atom)) = literal else { return };
        let computed: Vec<VarId> = atom.vars().filter(|var| self.uncertain.contains(var)).collect();
        let is_known = |var: VarId| known.contains(&var);
        if self.takes(atom) || !computed.iter().copied().all(is_known) {
            return;
        }
        let holds = match literal {
            Literal::Atom(_) => self.present(at, atom, known),
            _ if atom.vars().all(is_known) => self.absent(atom),
            _ => return,
        };
        let nulls: String = computed.iter().map(|var| format!("{} IS NULL OR ", outer(*var))).collect();
        self.body.holds.push(format!("({nulls}{holds})"));
    }

    /// Whether an atom takes part.
    fn takes(&self, atom: &Atom) -> bool {
        self.part.takes(atom, &self.uncertain)
    }

    fn atom(&mut self, literal: usize, atom: &Atom) {
        let alias = format!("t{}", self.body.from.len());
        let from = self.context.read(literal, atom);
        self.body.from.push(format!("{from} AS {alias}"));
        for (at, arg) in atom.args.iter().enumerate() {
            let place = format!("{alias}.{}", self.context.column(atom.relation, at));
            self.arg(*arg, place);
        }
    }

    fn arg(&mut self, arg: Arg, place: String) {
        match arg {
            Arg::Any => {}
            Arg::Const(value) => self.body.joins.push(self.context.equals(&place, value)),
            Arg::Param(param) => {
                self.body.joins.push(self.context.equals(&place, self.context.program[param].value));
            }
            Arg::Var(var) if self.bound.contains(&var) => {
                let name = format!("x{}", self.body.columns.len());
                let equal = format!("b.{name} = {}", outer(var));
                let terms =
                    if self.uncertain.contains(&var) { &mut self.body.may } else { &mut self.body.holds };
                terms.push(equal);
                self.body.columns.push(format!("{place} AS {name}"));
            }
            Arg::Var(var) => match self.base.get(&var) {
                Some(known) => self.body.joins.push(format!("{place} = {known}")),
                None => {
                    self.base.insert(var, place);
                }
            },
        }
    }

    /// Generators, each after those whose variables it reads.
    fn generators(&mut self) -> Written<()> {
        let rule = self.rule;
        let mut left: Vec<&Literal> = rule.body.iter().filter(|literal| literal.generates()).collect();
        while !left.is_empty() {
            let before = left.len();
            let mut waiting = Vec::new();
            for literal in left {
                let Literal::Each { var, generator, args, .. } = literal else { continue };
                if !literal.is_ready(|var| self.base.contains_key(&var)) {
                    waiting.push(literal);
                    continue;
                }
                let alias = format!("g{}", self.body.from.len());
                let elements = self.elements(literal, generator, args)?;
                self.body.from.push(format!("{elements} AS {alias}(e)"));
                self.arg(Arg::Var(*var), format!("{alias}.e"));
            }
            if self.part == Part::Certain && waiting.len() == before {
                return Ok(());
            }
            if let (Some(literal), true) = (waiting.first(), waiting.len() == before) {
                let construct = "a generator over a value that `=` computes";
                return Err(UnsupportedConstruct::new(
                    literal.span(),
                    construct,
                    "compute the value in a rule of its own",
                ));
            }
            left = waiting;
        }
        Ok(())
    }

    fn elements(&self, literal: &Literal, generator: &Generator, args: &[Expr]) -> Written {
        let place = |var: VarId| self.base.get(&var).map_or_else(String::new, Clone::clone);
        let expressions =
            Expressions { program: self.context.program, dialect: self.context.dialect, variable: &place };
        match generator {
            Generator::List(_) | Generator::Elements(_) => self.list(literal, &expressions, args),
            Generator::Range if args.iter().any(Expr::may_fail) => {
                let construct = "a range between values that an operation computes";
                Err(UnsupportedConstruct::new(literal.span(), construct, "compute them in a rule of its own"))
            }
            Generator::Range => {
                let [from, to] = args else { broken("a range has two ends") };
                Ok(self.context.dialect.range(&expressions.write(from)?, &expressions.write(to)?))
            }
            _ => {
                let construct = "a generator that takes a text apart";
                Err(UnsupportedConstruct::new(literal.span(), construct, "let an input hold the parts"))
            }
        }
    }

    fn list(&self, literal: &Literal, expressions: &Expressions<'_>, args: &[Expr]) -> Written {
        let mut values = BTreeSet::new();
        for arg in args {
            match constant(expressions, arg) {
                Some(Value::List(text)) => values.extend(list::elements(text).iter().copied()),
                Some(value) => {
                    values.insert(value);
                }
                None => return Err(UnsupportedConstruct::operation(literal.span(), "in")),
            }
        }
        let dialect = self.context.dialect;
        let rows: Vec<String> = values.iter().map(|value| format!("({})", dialect.literal(*value))).collect();
        if rows.is_empty() {
            let Literal::Each { generator, .. } = literal else { return Ok(String::new()) };
            return Ok(format!("(SELECT CAST(NULL AS {}) WHERE FALSE)", dialect.ty(generator.element())));
        }
        Ok(format!("(VALUES {})", rows.join(", ")))
    }

    /// A layer for each variable that `=` binds; all variables that are known in the end.
    fn binds(&mut self) -> Written<BTreeSet<VarId>> {
        let rule = self.rule;
        let mut known: BTreeSet<VarId> = self.base.keys().copied().collect();
        loop {
            let before = known.len();
            for literal in &rule.body {
                let Literal::Bind { var, expr, .. } = literal else { continue };
                if known.contains(var) || !literal.is_ready(|var| known.contains(&var)) {
                    continue;
                }
                let value = self.outside(expr)?;
                self.body.layers.push(format!("{value} AS v{}", var.0));
                if expr.may_fail() {
                    self.body.may.push(self::known(&outer(*var)));
                }
                known.insert(*var);
            }
            if known.len() == before {
                return Ok(known);
            }
        }
    }

    /// An expression in the outermost layer.
    fn outside(&self, expr: &Expr) -> Written {
        outside(self.context, expr)
    }

    /// What a literal asks of a match.
    fn condition(&mut self, literal: &Literal, known: &BTreeSet<VarId>) -> Written<()> {
        if !literal.is_ready(|var| known.contains(&var)) {
            return Ok(()); // of a part of the body
        }
        match literal {
            Literal::Test { expr, .. } => {
                let term = self.outside(expr)?;
                self.must(term, expr);
            }
            Literal::Bind { var, expr, .. } if !self.bound.contains(var) => {
                let term = format!("{} = {}", outer(*var), self.outside(expr)?);
                self.must(term, expr);
            }
            Literal::Not(atom) if self.takes(atom) => {
                let term = self.absent(atom);
                self.body.holds.push(term);
            }
            _ => {}
        }
        Ok(())
    }

    /// A term of an expression must hold.
    fn must(&mut self, term: String, expr: &Expr) {
        let may = expr.may_fail() || reads(expr, &self.uncertain);
        if may { &mut self.body.may } else { &mut self.body.holds }.push(term);
    }

    /// That an atom has some row with what is known.
    fn present(&self, literal: usize, atom: &Atom, known: &BTreeSet<VarId>) -> String {
        let from = format!("{} AS n", self.context.read(literal, atom));
        let columns: Vec<String> =
            (0..atom.args.len()).map(|at| self.context.column(atom.relation, at)).collect();
        self.exists((&from, &columns), atom, |var| known.contains(&var))
    }

    fn absent(&self, atom: &Atom) -> String {
        let (from, columns) = self.context.negated(atom.relation);
        format!("NOT {}", self.exists((&from, &columns), atom, |_| true))
    }

    /// That a table `n` has some row of an atom with what is known.
    fn exists(
        &self,
        (from, columns): (&str, &[String]),
        atom: &Atom,
        is_known: impl Fn(VarId) -> bool,
    ) -> String {
        let program = self.context.program;
        let term = |(arg, column): (&Arg, &String)| match arg {
            Arg::Any => None,
            Arg::Var(var) => is_known(*var).then(|| format!("n.{column} = {}", outer(*var))),
            Arg::Const(value) => Some(self.context.equals(&format!("n.{column}"), *value)),
            Arg::Param(param) => Some(self.context.equals(&format!("n.{column}"), program[*param].value)),
        };
        let terms: Vec<String> = atom.args.iter().zip(columns).filter_map(term).collect();
        format!("EXISTS (SELECT 1 FROM {from}{})", conditions(&terms))
    }
}

/// An expression over the variables of the outermost layer.
pub(super) fn outside(context: Context<'_>, expr: &Expr) -> Written {
    Expressions { program: context.program, dialect: context.dialect, variable: &outer }.write(expr)
}
