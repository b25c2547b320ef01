//! What the page shows beside what the API answers: decisions with who drew them, facts with who said them, rules in words.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::json as facts_json;
use hence_core::literal;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_lang::lower;
use hence_ledger::{InForce, Ledger, TxInfo, When};
use hence_proof::render;
use hence_server::{Filter, Problem, Sight};
use hence_session::{DecisionId, Listing, Session};
use serde_json::{Value as Json, json};

use super::super::review;
use super::answers::{decision_json, ledger, of, of_ledger};
use super::coverage::{self, Reached};
use super::editor;
use super::problem::of_failure;

type Told = Result<Json, Problem>;

/// How many facts of the past are counted.
const COUNTED: usize = 10_000;

/// The answer to a question of the page.
pub(super) fn told(session: &mut Session, sight: &Sight, now: i64) -> Told {
    match sight {
        Sight::Decisions { filter, page } => decisions(session, filter, (page.offset, page.limit)),
        Sight::Decision(id) => decision(session, id),
        Sight::Reviews => {
            let waits = review::waiting_with_proofs(session, now).map_err(|failure| of_failure(&failure))?;
            Ok(json!({ "reviews": waits, "schema": schema(&session.rules().program) }))
        }
        Sight::Facts { relation: Some(relation), page } => {
            facts(session, Symbol::new(relation), (page.offset, page.limit))
        }
        Sight::Facts { relation: None, .. } => relations_of(session),
        Sight::Rules => rules(session),
        Sight::Parameters => Ok(parameters(session)),
        Sight::File(name) => editor::file(session, name.as_deref()),
        Sight::Check { file, text } => editor::check(session, (file, text)),
        Sight::Save { .. } => editor::save(session, sight),
        Sight::Verify => {
            let found = of_ledger(ledger(session)?.verify())?;
            Ok(json!({
                "transactions": found.transactions, "facts": found.facts, "decisions": found.decisions,
                "differences": found.differences,
            }))
        }
    }
}

/// Who recorded which transaction, each looked up once.
struct Infos<'l> {
    ledger: &'l Ledger,
    known: BTreeMap<u64, TxInfo>,
}

impl<'l> Infos<'l> {
    fn new(ledger: &'l Ledger) -> Self {
        Self { ledger, known: BTreeMap::new() }
    }

    /// The time and the author of a transaction.
    fn of(&mut self, tx: u64) -> Result<(String, String), Problem> {
        if !self.known.contains_key(&tx) {
            self.known.insert(tx, of_ledger(self.ledger.info(tx))?);
        }
        let info = self.known.get(&tx).ok_or_else(|| Problem::new(500, "a transaction is gone"))?;
        Ok((literal::time_text(info.time), info.author.clone()))
    }
}

/// Whether one of the texts of a decision holds what is asked for.
fn speaks_of(one: &InForce, subject: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(subject);
    one.decision.sentence.as_deref().is_some_and(holds)
        || one.decision.fact.values.iter().any(|value| holds(&value.text()))
}

fn decisions(session: &Session, filter: &Filter, (offset, limit): (usize, usize)) -> Told {
    let ledger = ledger(session)?;
    let all = of_ledger(ledger.decisions_at(session.as_of()))?;
    let relations: BTreeSet<&str> = all.iter().map(|one| one.decision.fact.relation.as_str()).collect();
    let rules: BTreeSet<&str> = all.iter().filter_map(|one| one.decision.rule.as_deref()).collect();
    let (mut infos, mut found) = (Infos::new(ledger), Vec::new());
    let subject = filter.subject.as_ref().map(|subject| subject.to_lowercase());
    for one in &all {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_ref().is_none_or(|wanted| Some(wanted.as_str()) == found)
        };
        if is(&filter.relation, Some(one.decision.fact.relation.as_str()))
            && is(&filter.rule, one.decision.rule.as_deref())
            && subject.as_ref().is_none_or(|subject| speaks_of(one, subject))
        {
            let (time, by) = infos.of(one.tx)?;
            let day = time.get(..10).unwrap_or_default();
            let is_within = filter.from.as_ref().is_none_or(|from| day >= from.as_str())
                && filter.to.as_ref().is_none_or(|to| day <= to.as_str());
            if is_within {
                found.push((one, time, by));
            }
        }
    }
    found.sort_by_key(|(one, _, _)| std::cmp::Reverse(one.tx));
    let total = found.len();
    let mut rows = Vec::new();
    for (one, time, by) in found.into_iter().skip(offset).take(limit) {
        let mut row = decision_json(of(session.decision_id(&one.decision.fact))?, &one.decision);
        if let Some(fields) = row.as_object_mut() {
            fields.extend([
                (String::from("tx"), json!(one.tx)),
                (String::from("time"), json!(time)),
                (String::from("by"), json!(by)),
            ]);
        }
        rows.push(row);
    }
    Ok(json!({ "decisions": rows, "total": total, "relations": relations, "rules": rules }))
}

fn decision(session: &Session, text: &str) -> Told {
    let wrong =
        || Problem::new(404, format!("`{text}` is not the id of a decision; expected one such as 12.3"));
    let id: DecisionId = text.parse().map_err(|_| wrong())?;
    let drawn = of(session.why_drawn(id, None))?;
    let mut infos = Infos::new(ledger(session)?);
    let (mut spans, mut until) = (Vec::new(), None);
    for span in of_ledger(infos.ledger.decision_history(&drawn.decision.fact))? {
        let (time, by) = infos.of(span.from)?;
        let mut told = json!({ "from": span.from, "from_time": time, "from_by": by, "until": span.until });
        if let (Some(end), Some(fields)) = (span.until, told.as_object_mut()) {
            let (time, by) = infos.of(end)?;
            fields.extend([(String::from("until_time"), json!(time)), (String::from("until_by"), json!(by))]);
        }
        if span.from == id.tx {
            until = span.until;
        }
        spans.push(told);
    }
    let mut answer = decision_json(Some(id), &drawn.decision);
    let more = json!({
        "proof": drawn.proof.as_ref().map(render::json), "schema": schema(&drawn.rules.program),
        "drawn_at": literal::time_text(drawn.info.time), "by": drawn.info.author,
        "lapsed_in": until, "history": spans,
    });
    if let (Some(fields), Json::Object(more)) = (answer.as_object_mut(), more) {
        fields.extend(more);
    }
    Ok(answer)
}

/// The words for each relation: what it means, and its columns.
fn schema(program: &Program) -> Json {
    let one = |relation: &hence_core::schema::Relation| {
        let columns: Vec<&str> = relation.columns.iter().map(|column| column.name.as_str()).collect();
        (relation.name.as_str().to_owned(), json!({ "doc": first_line(&relation.doc), "columns": columns }))
    };
    Json::Object(program.relations.iter().map(one).collect())
}

/// What a comment says, as one line.
fn first_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn moment_time(ledger: &Ledger, at: When) -> Result<Option<String>, Problem> {
    let tx = of_ledger(ledger.tx_when(at))?;
    if tx == 0 {
        return Ok(None);
    }
    Ok(Some(literal::time_text(of_ledger(ledger.info(tx))?.time)))
}

fn facts(session: &Session, relation: Symbol, (offset, limit): (usize, usize)) -> Told {
    let (at, ledger) = (session.as_of(), ledger(session)?);
    let listing = of_ledger(Listing::new(Some(session.rules()), ledger, relation, at))?;
    let mut rows = Vec::new();
    for found in of_ledger(ledger.facts_at(relation, at))?.skip(offset).take(limit) {
        let held = of_ledger(found)?.0;
        let said = of_ledger(ledger.assertion_at(&held, at))?;
        let values: Vec<Json> =
            listing.fact(held).values.iter().map(|value| facts_json::value(*value)).collect();
        rows.push(json!({
            "values": values, "tx": said.as_ref().map(|said| said.tx),
            "time": said.as_ref().map(|said| literal::time_text(said.time)),
            "author": said.as_ref().map(|said| said.author.as_str()),
            "strength": said.as_ref().map(|said| match (&said.step, said.signed) {
                (Some(_), _) => "derived",
                (None, true) => "signed",
                (None, false) => "claimed",
            }),
        }));
    }
    let total = match at {
        When::Now => count_of(ledger, relation),
        _ => of_ledger(ledger.facts_at(relation, at))?.take(COUNTED).count(),
    };
    let program = &session.rules().program;
    let doc = program.find(relation).map(|id| first_line(&program[id].doc));
    let columns: Vec<&str> = listing.columns.iter().map(|column| column.as_str()).collect();
    Ok(json!({
        "facts": rows, "total": total, "columns": columns, "doc": doc, "time": moment_time(ledger, at)?,
    }))
}

fn count_of(ledger: &Ledger, relation: Symbol) -> usize {
    let counts = ledger.relations();
    let found = counts.iter().find(|one| one.relation == relation.as_str());
    found.map_or(0, |one| usize::try_from(one.facts).unwrap_or(usize::MAX))
}

fn relations_of(session: &Session) -> Told {
    let (at, ledger) = (session.as_of(), ledger(session)?);
    let program = &session.rules().program;
    let mut rows = Vec::new();
    for relation in ledger.all_relations() {
        let facts = match at {
            When::Now => count_of(ledger, relation),
            _ => of_ledger(ledger.facts_at(relation, at))?.take(COUNTED).count(),
        };
        // What hence keeps for itself is no fact of the rules.
        if facts > 0 && !relation.as_str().starts_with("hence.") {
            let doc = program.find(relation).map(|id| first_line(&program[id].doc));
            rows.push((relation.as_str().to_owned(), facts, doc));
        }
    }
    rows.sort();
    let rows = rows.into_iter().map(|(name, facts, doc)| json!({ "name": name, "facts": facts, "doc": doc }));
    Ok(json!({ "relations": rows.collect::<Json>(), "time": moment_time(ledger, at)? }))
}

/// Relations that people wrote, each with what the rules that derive it read.
fn reads(program: &Program) -> BTreeMap<RelationId, BTreeSet<RelationId>> {
    let mut all: BTreeMap<RelationId, BTreeSet<RelationId>> = BTreeMap::new();
    for rule in &program.rules {
        all.entry(rule.head).or_default().extend(rule.reads());
    }
    let through = |head: &RelationId| {
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        let mut next: Vec<RelationId> = all.get(head).into_iter().flatten().copied().collect();
        while let Some(read) = next.pop() {
            if !seen.insert(read) {
                continue;
            }
            match lower::is_made(program, read) {
                true => next.extend(all.get(&read).into_iter().flatten().copied()),
                false => drop(found.insert(read)),
            }
        }
        found
    };
    let heads = all.keys().filter(|head| !lower::is_made(program, **head));
    heads.map(|head| (*head, through(head))).collect()
}

fn rules(session: &Session) -> Told {
    let program = &session.rules().program;
    let drawn = drawn_by(ledger(session)?, session.as_of())?;
    let counts: BTreeMap<String, (u64, u64)> = ledger(session)?
        .relations()
        .into_iter()
        .map(|one| (one.relation, (one.facts, one.decisions)))
        .collect();
    let (reached, is_measuring) = coverage::of(session.rules());
    let reads = reads(program);
    let name = |id: &RelationId| program[*id].name.as_str();
    let ids = (0..program.relations.len()).filter_map(|at| u32::try_from(at).ok()).map(RelationId);
    let mut rows = Vec::new();
    for id in ids.filter(|id| !lower::is_made(program, *id)) {
        let relation = &program[id];
        let (facts, decisions) = counts.get(relation.name.as_str()).copied().unwrap_or_default();
        let kind = match relation.kind {
            Kind::Input => "input",
            Kind::Derived => "derived",
            Kind::Decision => "decision",
        };
        let readers = reads.iter().filter(|(_, of)| of.contains(&id)).map(|(reader, _)| name(reader));
        rows.push(json!({
            "name": relation.name.as_str(), "kind": kind, "file": file_of(session, relation), "doc": first_line(&relation.doc),
            "columns": relation.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
            "types": relation.columns.iter().map(|column| column.ty.ty.keyword()).collect::<Vec<_>>(),
            "facts": facts, "decisions": decisions,
            "reads": reads.get(&id).into_iter().flatten().map(name).collect::<Vec<_>>(),
            "readers": readers.collect::<Vec<_>>(),
            "rules": rules_of(session, id, (&drawn, reached.as_deref())),
        }));
    }
    rows.sort_by(|one, other| {
        one.get("name").map(Json::to_string).cmp(&other.get("name").map(Json::to_string))
    });
    let whole = reached.as_ref().map(|reached| share(reached.values()));
    Ok(json!({
        "relations": rows, "schema": schema(program), "coverage": whole, "measuring": is_measuring,
    }))
}

/// The file that declares a relation.
fn file_of(session: &Session, relation: &hence_core::schema::Relation) -> String {
    session.rules().sources.place(relation.span).file.to_string()
}

/// How many decisions of each rule stand.
fn drawn_by(ledger: &Ledger, at: When) -> Result<BTreeMap<String, u64>, Problem> {
    let mut drawn = BTreeMap::new();
    for one in of_ledger(ledger.decisions_at(at))? {
        if let Some(rule) = one.decision.rule {
            *drawn.entry(rule).or_default() += 1;
        }
    }
    Ok(drawn)
}

fn share<'r>(all: impl Iterator<Item = &'r (usize, usize)>) -> Json {
    let (reached, points) = all.fold((0, 0), |(reached, all), one| (reached + one.0, all + one.1));
    json!({ "reached": reached, "all": points })
}

type Known<'k> = (&'k BTreeMap<String, u64>, Option<&'k Reached>);

fn rules_of(session: &Session, head: RelationId, (drawn, reached): Known<'_>) -> Json {
    let (rules, program) = (session.rules(), &session.rules().program);
    let one = |rule: &hence_lang::ir::Rule| {
        let place = rules.sources.place(rule.span);
        let id = rule.id.as_str();
        let written = rules.sources.slice(rule.span);
        json!({
            "id": id, "doc": first_line(&rule.doc), "text": written,
            "because": because_of(rules, rule.span), "place": format!("{}:{}", place.file, place.line),
            "decisions": drawn.get(id).copied().unwrap_or_default(),
            "coverage": reached.and_then(|reached| reached.get(id)).map(|one| share(std::iter::once(one))),
        })
    };
    program.rules.iter().filter(|rule| rule.head == head).map(one).collect()
}

/// The sentence of a rule, as it is written.
fn because_of(rules: &hence_session::RuleSet, span: hence_core::span::Span) -> Option<String> {
    let items = rules.files.iter().flat_map(|file| &file.items);
    let mut found = items.filter_map(|item| match item {
        hence_syntax::tree::Item::Rule(rule) if rule.span == span => rule.because,
        _ => None,
    });
    found.next().map(|(text, _)| text.as_str().to_owned())
}

fn parameters(session: &Session) -> Json {
    let rules = session.rules();
    let one = |param: &hence_core::schema::Param| {
        let file = rules.sources.place(param.span).file;
        let told = json!({
            "name": param.name.as_str(), "type": param.ty.ty.keyword(), "doc": first_line(&param.doc),
            "value": facts_json::value(param.value), "file": file,
        });
        ((file, param.span.start), told)
    };
    let mut all: Vec<_> = rules.program.params.iter().map(one).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    let all: Vec<Json> = all.into_iter().map(|(_, told)| told).collect();
    json!({ "parameters": all, "schema": schema(&rules.program) })
}
