//! The relations of a stratum: a statement that fills the table of each, or a recursion.

use hence_core::literal::visible;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_lang::builtins::expr::Expr;
use hence_lang::ir::{Literal, Rule, Stratum};

use super::body::Context;
use super::dialect::Dialect;
use super::refusal::{UnsupportedConstruct, Written};
use super::spark::{self, Grown};
use super::{input, rule, tables};

/// The name of a relation within its recursion.
const RECURSION: &str = "own";

/// A stratum on its way.
pub(super) struct Script<'a> {
    pub(super) context: Context<'a>,
    pub(super) sources: &'a Sources,
    pub(super) stratum: &'a Stratum,
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
    /// The statements, or all that can't be said.
    pub(super) fn write(&self) -> Result<String, Vec<UnsupportedConstruct>> {
        let (mut all, mut refused) = (Vec::new(), Vec::new());
        for id in &self.stratum.relations {
            let (queries, more) = self.queries(*id);
            refused.extend(more);
            all.push((*id, queries));
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let in_rounds = self.dialect() == Dialect::Spark && all.iter().any(|(_, one)| !one.steps.is_empty());
        Ok(match in_rounds {
            true => self.rounds(all),
            false => all.into_iter().map(|(id, queries)| self.relation(id, queries)).collect(),
        })
    }

    fn dialect(&self) -> Dialect {
        self.context.dialect
    }

    /// The relations of a recursion as a loop.
    fn rounds(&self, relations: Vec<(RelationId, Queries)>) -> String {
        let context = self.context;
        let (mut out, mut stops, mut grown) = (String::new(), String::new(), Vec::new());
        for (id, queries) in relations {
            let relation = &context.program[id];
            out.push_str(&comment(context, id));
            stops.push_str(&queries.stops);
            grown.push(Grown {
                table: context.table(id),
                found: context.found(id),
                declared: input::declared(context.dialect, relation),
                columns: tables::columns(context.dialect, relation).join(", "),
                facts: queries.facts,
                steps: queries.steps,
            });
        }
        format!("{out}{}{stops}", spark::recursion(&grown))
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
            found.push(format!("SELECT * FROM {}", self.context.table(id)));
        }
        found
    }

    fn rule(&self, rule: &Rule, queries: &mut Queries) -> Written<()> {
        let context = self.context;
        let own = self.own(rule);
        if self.dialect() != Dialect::Spark {
            self.is_linear(rule, own.len())?;
        }
        if own.is_empty() {
            queries.facts.push(rule::query(context, rule)?);
        }
        for (at, relation) in own {
            let from = self.recursion(relation);
            let step = Context { recursion: Some((at, &from)), ..context };
            queries.steps.push(rule::query(step, rule)?);
        }
        for lost in rule::lost(context, rule)? {
            queries.stops.push_str(&context.dialect.stop(&self.because(rule), &lost));
        }
        Ok(())
    }

    /// The literals that read the recursion which a rule is in, with their relations.
    fn own(&self, rule: &Rule) -> Vec<(usize, RelationId)> {
        let own = |(at, literal): (usize, &Literal)| Some((at, literal.positive()?.relation));
        let all = rule.body.iter().enumerate().filter_map(own);
        all.filter(|(_, relation)| self.stratum.relations.contains(relation)).collect()
    }

    /// What `WITH RECURSIVE` asks of a rule that reads its recursion so many times.
    fn is_linear(&self, rule: &Rule, own: usize) -> Written<()> {
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
        Ok(())
    }

    /// What the step of a recursion reads.
    fn recursion(&self, relation: RelationId) -> String {
        match self.dialect() {
            Dialect::DuckDb => String::from(RECURSION),
            Dialect::Postgres => String::from("(SELECT w.*)"),
            Dialect::Spark => Grown::last(&self.context.found(relation)),
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
        let table = self.context.table(id);
        let comment = comment(self.context, id);
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
        let columns = tables::columns(self.dialect(), &program[id]).join(", ");
        let steps = self.steps(&steps);
        format!(
            "{comment}INSERT INTO {table}\nWITH RECURSIVE {RECURSION}({columns}) AS (\n({all})\nUNION\n{steps}\n)\n\
             SELECT * FROM {RECURSION}{known};\n{stops}"
        )
    }

    /// The steps of a recursion; PostgreSQL lets them read it in one place only.
    fn steps(&self, steps: &[String]) -> String {
        let all = steps.join("\nUNION ALL\n");
        match self.dialect() {
            Dialect::DuckDb | Dialect::Spark => format!("({all})"),
            Dialect::Postgres => {
                format!("SELECT s.* FROM {RECURSION} AS w CROSS JOIN LATERAL (\n{all}\n) AS s")
            }
        }
    }
}

/// The comment above what is written of a relation.
fn comment(context: Context<'_>, id: RelationId) -> String {
    format!("\n-- {}\n", visible(context.program[id].name.as_str()))
}
