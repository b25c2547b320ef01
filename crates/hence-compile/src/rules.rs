//! Rules as rules of a `crepe!` program.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule, Term};

use super::Refusal;
use super::expression::{Expressions, Place, constant, params, type_text};
use super::names;
use super::order::ordered;
use super::stages::{gathers, open_columns};
use super::text::Constants;

/// How many columns crepe can look up at once: it makes a tuple of them, and Rust compares tuples of up to twelve.
const MOST_KEYS: usize = 12;

/// The parameters that a rule's body and head read in a `crepe!` program.
fn params_of(rule: &Rule) -> BTreeSet<ParamId> {
    let mut found = BTreeSet::new();
    for literal in &rule.body {
        let args = literal.atom().into_iter().flat_map(|atom| &atom.args);
        found.extend(args.filter_map(|arg| match arg {
            Arg::Param(param) => Some(*param),
            _ => None,
        }));
        found.extend(literal.exprs().iter().flat_map(params));
    }
    if !gathers(rule) {
        found.extend(plain(rule).flat_map(params));
    }
    found
}

fn plain(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => Some(expr),
        Term::Aggregate { .. } => None,
    })
}

/// One rule that is being written.
pub(super) struct CrepeRule<'a, 'w> {
    program: &'a Program,
    rule: &'a Rule,
    number: u32,
    scanned: &'w BTreeSet<RelationId>,
    expressions: &'w mut Expressions<'a>,
    constants: &'w mut Constants,
    bound: BTreeSet<VarId>,
    uses: BTreeMap<VarId, usize>,
    clauses: Vec<String>,
    open: usize,
}

impl<'a, 'w> CrepeRule<'a, 'w> {
    /// The rule of that number; the rows of relations in `scanned` are taken from their tables as they are.
    pub(super) fn new(
        program: &'a Program,
        (number, rule): (u32, &'a Rule),
        scanned: &'w BTreeSet<RelationId>,
        expressions: &'w mut Expressions<'a>,
        constants: &'w mut Constants,
    ) -> Self {
        Self {
            program,
            rule,
            number,
            scanned,
            expressions,
            constants,
            bound: BTreeSet::new(),
            uses: uses(rule),
            clauses: Vec::new(),
            open: 0,
        }
    }

    /// The whole rule.
    ///
    /// # Errors
    /// What crepe can't say.
    pub(super) fn write(mut self) -> Result<String, Refusal> {
        let own = params_of(self.rule);
        if !own.is_empty() || self.scans() {
            self.clauses.push(String::from("Source(input)"));
        }
        self.clauses.extend(own.iter().map(|param| format!("let p{0} = input.param({0})", param.0)));
        for literal in ordered(self.rule) {
            self.literal(literal)?;
        }
        let head = self.head();
        self.clauses.push(String::from("(go())"));
        let id = self.rule.id;
        Ok(format!(
            "        // {id}\n        {head} <-\n            {};\n",
            self.clauses.join(",\n            ")
        ))
    }

    /// Whether some relation of the body is read from its table.
    fn scans(&self) -> bool {
        self.rule.body.iter().any(|literal| match literal {
            Literal::Atom(atom) => self.scanned.contains(&atom.relation),
            _ => false,
        })
    }

    fn literal(&mut self, literal: &'a Literal) -> Result<(), Refusal> {
        match literal {
            Literal::Atom(atom) => self.atom(atom),
            Literal::Not(atom) => return self.not(atom),
            Literal::Bind { var, expr, .. } => {
                let name = self.bind(*var);
                self.value(&name, expr);
            }
            Literal::Test { expr, .. } => {
                let called = self.expressions.call(expr, Place::Crepe, self.constants);
                self.clauses.push(if called.fallible {
                    format!("let Some(true) = held({}, {})", self.number, called.text)
                } else {
                    format!("({}.as_bool())", called.text)
                });
            }
            Literal::Each { var, generator, args, .. } => self.each(*var, generator, args),
        }
        Ok(())
    }

    /// Binds `name` to the value of an expression.
    fn value(&mut self, name: &str, expr: &'a Expr) {
        let called = self.expressions.call(expr, Place::Crepe, self.constants);
        self.clauses.push(if called.fallible {
            format!("let Some({name}) = tried({}, {})", self.number, called.text)
        } else {
            format!("let {name} = {}", called.text)
        });
    }

    /// Takes a variable as bound; its name, or `_` where nothing reads it.
    fn bind(&mut self, var: VarId) -> String {
        self.bound.insert(var);
        let once = self.uses.get(&var).copied().unwrap_or(0) <= 1 && !gathers(self.rule);
        if once { String::from("_") } else { names::variable(self.rule, var) }
    }

    fn each(&mut self, var: VarId, generator: &Generator, args: &'a [Expr]) {
        let mut words = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let called = self.expressions.call(arg, Place::Crepe, self.constants);
            if called.fallible {
                let name = format!("argument_{}_{at}", var.0);
                self.value(&name, arg);
                words.push(name);
            } else {
                words.push(called.text);
            }
        }
        let generator = generator_text(generator, self.constants);
        let name = self.bind(var);
        self.clauses.push(format!("for element_{} in each({generator}, &[{}])", var.0, words.join(", ")));
        self.clauses.push(format!("let {name} = element_{}", var.0));
    }

    fn atom(&mut self, atom: &'a Atom) {
        let (mut columns, mut same, mut keys) = (Vec::new(), Vec::new(), 0);
        let mut here = BTreeSet::new();
        for (at, arg) in atom.args.iter().enumerate() {
            let again = format!("column_{}_{at}", self.clauses.len());
            let known = match arg {
                Arg::Any => None,
                Arg::Var(var) if !self.bound.contains(var) && here.insert(*var) => None,
                Arg::Var(var) => Some(names::variable(self.rule, *var)),
                Arg::Const(value) => Some(constant(*value, self.constants)),
                Arg::Param(param) => Some(format!("p{}", param.0)),
            };
            let is_own = matches!(arg, Arg::Var(var) if here.contains(var));
            columns.push(match (known, arg) {
                (Some(known), _) if is_own || keys == MOST_KEYS => {
                    same.push(format!("({again} == {known})"));
                    again
                }
                (Some(known), _) => {
                    keys += 1;
                    known
                }
                (None, Arg::Var(var)) => self.column(*var),
                (None, _) => self.any(),
            });
        }
        self.bound.extend(here);
        if columns.is_empty() {
            columns.push(String::from("_"));
        }
        let columns = columns.join(", ");
        if self.scanned.contains(&atom.relation) {
            let row = format!("row_{}", self.clauses.len());
            self.clauses.push(format!("for {row} in input.rows({})", atom.relation.0));
            // crepe takes what a `for` names as bound only once a `let` binds it.
            self.clauses.push(format!("let [{columns}] = {row}"));
        } else {
            let relation = names::relation(self.program, atom.relation);
            self.clauses.push(format!("{relation}({columns})"));
        }
        self.clauses.extend(same);
    }

    fn column(&self, var: VarId) -> String {
        let once = self.uses.get(&var).copied().unwrap_or(0) <= 1 && !gathers(self.rule);
        if once { String::from("_") } else { names::variable(self.rule, var) }
    }

    /// A column without a term: where matches are distinguished, it has to be known.
    fn any(&mut self) -> String {
        if !gathers(self.rule) {
            return String::from("_");
        }
        self.open += 1;
        format!("open_{}", self.open)
    }

    fn not(&mut self, atom: &Atom) -> Result<(), Refusal> {
        let mut columns = Vec::new();
        for arg in &atom.args {
            columns.push(match arg {
                Arg::Any => String::from("_"),
                Arg::Var(var) => names::variable(self.rule, *var),
                Arg::Const(value) => constant(*value, self.constants),
                Arg::Param(param) => format!("p{}", param.0),
            });
        }
        if columns.iter().filter(|column| *column != "_").count() > MOST_KEYS {
            return Err(Refusal {
                span: atom.span,
                construct: format!("a negated atom with more than {MOST_KEYS} columns to compare"),
            });
        }
        if columns.is_empty() {
            columns.push(String::from("Word(0)"));
        }
        let relation = names::relation(self.program, atom.relation);
        self.clauses.push(format!("!{relation}({})", columns.join(", ")));
        Ok(())
    }

    fn head(&mut self) -> String {
        if gathers(self.rule) {
            return self.matches_head();
        }
        let mut columns = Vec::new();
        for (at, expr) in plain(self.rule).enumerate() {
            if matches!(expr.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_)) {
                columns.push(self.expressions.call(expr, Place::Crepe, self.constants).text);
            } else {
                let name = format!("head_{at}");
                self.value(&name, expr);
                columns.push(name);
            }
        }
        if columns.is_empty() {
            columns.push(String::from("Word(0)"));
        }
        format!("{}({})", names::relation(self.program, self.rule.head), columns.join(", "))
    }

    /// The head under which the matches of a rule are kept: its variables, then the open columns.
    fn matches_head(&self) -> String {
        let vars = (0..self.rule.variables.len() as u32).map(VarId).map(|var| {
            if self.bound.contains(&var) { names::variable(self.rule, var) } else { String::from("Word(0)") }
        });
        let open = (1..=open_columns(self.rule)).map(|at| format!("open_{at}"));
        let mut columns: Vec<String> = vars.chain(open).collect();
        if columns.is_empty() {
            columns.push(String::from("Word(0)"));
        }
        format!("M{}({})", self.number, columns.join(", "))
    }
}

/// A generator as Rust names it.
pub(super) fn generator_text(generator: &Generator, constants: &mut Constants) -> String {
    match generator {
        Generator::Captures(pattern, group) => {
            format!("captures(&PATTERNS, {}, {group})", constants.pattern(pattern.source()))
        }
        Generator::List(element) => format!("Generator::List({})", type_text(*element)),
        Generator::Elements(element) => format!("Generator::Elements({})", type_text(*element)),
        other => format!("Generator::{other:?}"),
    }
}

/// How often each variable occurs in a rule.
fn uses(rule: &Rule) -> BTreeMap<VarId, usize> {
    let mut uses = BTreeMap::new();
    let mut note = |var: VarId| *uses.entry(var).or_insert(0) += 1;
    rule.body.iter().for_each(|literal| literal.for_each_var(&mut note));
    plain(rule).for_each(|expr| expr.for_each_var(&mut note));
    uses
}
