//! From a program to a script of SQL that derives the same facts where the tables of its inputs lie.
//!
//! ```text
//!  tables of inputs ─► checked copies, every row once ─► a table for each derived relation, stratum by stratum
//! ```
//!
//! The script is one transaction. It ends with the facts that hence derives, or it stops and changes nothing: where a row is
//! no fact of its input, or where an operation has no result for a match. What SQL can't say with the same meaning is
//! refused before ([`UnsupportedConstruct`]).

mod aggregate;
mod body;
mod dialect;
mod equality;
mod expression;
mod input;
mod operation;
mod refusal;
mod rule;
mod tables;

use std::collections::BTreeSet;

use hence_core::literal::visible;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_lang::builtins::expr::Expr;
use hence_lang::ir::{Atom, Program, Rule, Stratum};

use body::Context;
pub use dialect::Dialect;
pub use equality::{RelationRows, equality};
pub use refusal::UnsupportedConstruct;
use refusal::Written;

/// The name of a relation within its recursion.
const RECURSION: &str = "own";

/// The script of a program; `sources` are the texts of its rules, for messages.
///
/// # Errors
/// Everything that SQL can't say with the same meaning.
pub fn script(
    program: &Program,
    sources: &Sources,
    dialect: Dialect,
) -> Result<String, Vec<UnsupportedConstruct>> {
    let text = statements(program, sources, dialect)?;
    Ok(format!("{}{}{text}\nCOMMIT;\n", head(program, dialect), dialect.begin()))
}

/// All statements but the last, which keeps the tables.
fn statements(
    program: &Program,
    sources: &Sources,
    dialect: Dialect,
) -> Result<String, Vec<UnsupportedConstruct>> {
    let mut refused = tables::faults(program);
    let context = Context { program, dialect, recursion: None };
    let mut out = dialect.schema().to_owned();
    let inputs = inputs(program);
    for id in (0..).map(RelationId).take(program.relations.len()) {
        let relation = &program[id];
        if relation.kind != Kind::Input || inputs.contains(&id) {
            let columns = input::declared(dialect, relation);
            out.push_str(&format!("CREATE TABLE {} ({columns});\n", tables::table(program, id)));
        }
    }
    inputs.iter().for_each(|id| out.push_str(&format!("\n{}", input::copy(context, *id))));
    for stratum in &program.strata {
        match (Script { context, sources, stratum }).write() {
            Ok(text) => out.push_str(&text),
            Err(refusals) => refused.extend(refusals),
        }
    }
    if refused.is_empty() { Ok(out) } else { Err(once(refused)) }
}

/// Each refusal once: rules that were made of one rule are refused for the same place.
fn once(refused: Vec<UnsupportedConstruct>) -> Vec<UnsupportedConstruct> {
    let mut found: Vec<UnsupportedConstruct> = Vec::new();
    for refusal in refused {
        if !found.contains(&refusal) {
            found.push(refusal);
        }
    }
    found
}

/// What the script reads and makes, for its reader.
fn head(program: &Program, dialect: Dialect) -> String {
    let inputs: String = inputs(program).iter().map(|id| input::described(dialect, &program[*id])).collect();
    format!(
        "-- Made by `hence compile --sql`: edit the rules, not this script.\n\
         -- It reads these tables and changes none of them:\n{inputs}\
         -- It replaces the schema \"hence\", in which each relation is a table, or stops and changes nothing.\n"
    )
}

/// The inputs that rules read or add to.
fn inputs(program: &Program) -> BTreeSet<RelationId> {
    let used = program.rules.iter().flat_map(|rule| rule.reads().chain([rule.head]));
    used.filter(|id| program[*id].kind == Kind::Input).collect()
}

/// A stratum on its way.
struct Script<'a> {
    context: Context<'a>,
    sources: &'a Sources,
    stratum: &'a Stratum,
}

/// What is written of the rules of a relation.
#[derive(Default)]
struct Queries {
    /// For the facts.
    facts: Vec<String>,
    /// For those that follow from others of the relation itself.
    steps: Vec<String>,
    /// The statements that stop the script.
    stops: String,
}

impl Script<'_> {
    fn write(&self) -> Result<String, Vec<UnsupportedConstruct>> {
        let (mut out, mut refused) = (String::new(), Vec::new());
        for id in &self.stratum.relations {
            let (queries, more) = self.queries(*id);
            refused.extend(more);
            out.push_str(&self.relation(*id, queries));
        }
        if refused.is_empty() { Ok(out) } else { Err(refused) }
    }

    fn queries(&self, id: RelationId) -> (Queries, Vec<UnsupportedConstruct>) {
        let (mut queries, mut refused) = (Queries::default(), Vec::new());
        queries.facts.extend(self.facts(id));
        let rules = self.stratum.rules.iter().map(|rule| &self.context.program[*rule]);
        for rule in rules.filter(|rule| rule.head == id) {
            if let Err(refusal) = self.rule(rule, &mut queries) {
                refused.push(refusal);
            }
        }
        (queries, refused)
    }

    /// The facts of the rule files, and those that stand in an input which rules add to.
    fn facts(&self, id: RelationId) -> Vec<String> {
        let program = self.context.program;
        let own = program.facts.iter().filter(|fact| fact.relation == id);
        let rows: Vec<String> = own.map(|fact| rule::row(self.context, &fact.values)).collect();
        let mut found = Vec::new();
        if !rows.is_empty() {
            found.push(format!("SELECT * FROM (VALUES {}) AS f", rows.join(", ")));
        }
        if program[id].kind == Kind::Input && self.stratum.recursive {
            found.push(format!("SELECT * FROM {}", tables::table(program, id)));
        }
        found
    }

    fn rule(&self, rule: &Rule, queries: &mut Queries) -> Written<()> {
        let own = rule.body.iter().filter(|literal| literal.positive().is_some_and(|atom| self.is_own(atom)));
        let (own, context) = (own.count(), self.context);
        if own > 1 {
            let way_out = "write it with one such atom, as in `path(X, Z) :- path(X, Y), edge(Y, Z)`";
            return Err(UnsupportedConstruct::new(
                rule.span,
                "a rule that reads its own recursion twice",
                way_out,
            ));
        }
        if own == 1 && self.stratum.relations.len() > 1 {
            let construct = "a recursion through several relations";
            return Err(UnsupportedConstruct::new(
                rule.span,
                construct,
                "write it as one relation with a column that tells them apart",
            ));
        }
        let recursion = (own == 1).then_some((rule.head, self.recursion()));
        let query = rule::query(Context { recursion, ..context }, rule)?;
        if own == 1 { &mut queries.steps } else { &mut queries.facts }.push(query);
        for lost in rule::lost(context, rule)? {
            queries.stops.push_str(&context.dialect.stop(&self.because(rule), &lost));
        }
        Ok(())
    }

    fn is_own(&self, atom: &Atom) -> bool {
        self.stratum.relations.contains(&atom.relation)
    }

    /// What the step of a recursion reads.
    fn recursion(&self) -> &'static str {
        match self.context.dialect {
            Dialect::DuckDb => RECURSION,
            Dialect::Postgres => "(SELECT w.*)",
        }
    }

    /// Why an operation stops the script.
    fn because(&self, rule: &Rule) -> String {
        let operation = |expr: &Expr| {
            let place = self.sources.place(expr.span);
            format!("`{}` at {}:{}:{}", self.sources.slice(expr.span), place.file, place.line, place.column)
        };
        let all: Vec<String> = rule::failing(rule).into_iter().map(operation).collect();
        visible(&format!("an operation has no result in the rule `{}`: {}", rule.id, all.join(", ")))
            .into_owned()
    }

    fn relation(&self, id: RelationId, queries: Queries) -> String {
        let Queries { facts, steps, stops } = queries;
        let program = self.context.program;
        let table = tables::table(program, id);
        let comment = format!("\n-- {}\n", visible(program[id].name.as_str()));
        if facts.is_empty() {
            return format!("{comment}{stops}");
        }
        let all = facts.join("\nUNION\n");
        let known = match program[id].kind {
            Kind::Input => format!("\nEXCEPT\nSELECT * FROM {table}"),
            Kind::Derived | Kind::Decision => String::new(),
        };
        if steps.is_empty() {
            let all = if known.is_empty() { all } else { format!("({all}){known}") };
            return format!("{comment}{stops}INSERT INTO {table}\n{all};\n");
        }
        let columns = tables::columns(&program[id]).join(", ");
        let steps = self.steps(&steps);
        format!(
            "{comment}INSERT INTO {table}\nWITH RECURSIVE {RECURSION}({columns}) AS (\n({all})\nUNION\n{steps}\n)\n\
             SELECT * FROM {RECURSION}{known};\n{stops}"
        )
    }

    /// The steps of a recursion; PostgreSQL lets them read it in one place only.
    fn steps(&self, steps: &[String]) -> String {
        let all = steps.join("\nUNION ALL\n");
        match self.context.dialect {
            Dialect::DuckDb => format!("({all})"),
            Dialect::Postgres => {
                format!("SELECT s.* FROM {RECURSION} AS w CROSS JOIN LATERAL (\n{all}\n) AS s")
            }
        }
    }
}
