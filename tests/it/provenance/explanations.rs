//! What people read: trees, refusals, remedies and differences of small rule texts, word for word.

use std::time::Duration;

use hence_core::fact::Fact;
use hence_core::schema::Relation;
use hence_core::span::Sources;
use hence_core::value::Value;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Model};
use hence_lang::ir::Program;
use hence_lang::lower::lower;
use hence_proof::Finder;
use hence_proof::difference::{ComparedRelations, Side, difference};
use hence_proof::proof::{NoOrigins, Origin, Origins};
use hence_proof::render::{Layout, remedies_text, tree, why_not_line, why_not_text};
use hence_proof::why_not::Trial;

use super::build::{float, text};
use crate::cases::from_text;

const TOOLS: &str = r#"
input tool_run(tool: string, run: int, ok: bool, quality: float).
input active_refinement(tool: string).
input review(tool: string, approved: bool, by: string).
param poor_quality: float = 0.5.
param enough: int = 3.
param kept: int = 1.
relation learned(tool: string, runs: int, quality: float).
learned(Tool, count(), mean(Quality)) :- tool_run(Tool, _, _, Quality).
relation poor(tool: string, quality: float).
@id(poor_tool)
@because("{Tool} averaged {Quality} over {Runs} runs; the floor is {poor_quality}")
poor(Tool, Quality) :- learned(Tool, Runs, Quality), Runs >= enough, Quality < poor_quality.
decision refine_tool(tool: string).
## A poor tool that nobody works on is refined.
@id(refine)
refine_tool(Tool) :- poor(Tool, _), !active_refinement(Tool).
decision drop_tool(tool: string) requires review(tool: tool, approved: true).
drop_tool(Tool) :- poor(Tool, _), review(Tool, true, _).
decision worst(tool: string, rank: int).
@id(worst_first)
worst(Tool, Rank) :- learned(Tool, _, Quality) limit kept by Quality as Rank.
"#;

struct World {
    program: Program,
    sources: Sources,
    database: Database,
}

impl World {
    fn new(rules: &str) -> Self {
        let case = from_text("tools.dl", rules);
        let program = lower(&case.checked).unwrap();
        let database = Database::new(&program);
        Self { program, sources: case.sources, database }
    }

    fn add(&mut self, relation: &str, values: &[Value]) {
        let relation = self.program.find(relation.into()).unwrap();
        self.database.push(relation, &values.iter().map(|value| value.word()).collect::<Vec<_>>());
    }

    fn model(&self) -> Model {
        SemiNaive.evaluate(&self.program, self.database.clone(), &Limits::default()).unwrap()
    }

    fn why(&self, fact: &Fact) -> String {
        let model = self.model();
        let finder = Finder::new(&self.program, &model, &self.sources, &Anna);
        tree(&finder.why(fact).unwrap().unwrap(), &self.program, &Layout::default())
    }

    fn why_not(&self, relation: &str, pattern: &[Option<Value>]) -> (String, String, String) {
        let model = self.model();
        let finder = Finder::new(&self.program, &model, &self.sources, &NoOrigins);
        let relation = self.program.find(relation.into()).unwrap();
        let answer = finder.why_not(relation, pattern);
        let trial = Trial::within(&SemiNaive, Limits::default(), Duration::from_secs(20));
        let remedies = finder.remedies(relation, pattern, &trial);
        let program = &self.program;
        (why_not_text(program, &answer), why_not_line(program, &answer), remedies_text(program, &remedies))
    }
}

/// Says that Anna asserted everything.
struct Anna;

impl Origins for Anna {
    fn origin(&self, _: &Relation, _: &Fact) -> Result<Option<Origin>, String> {
        Ok(Some(Origin {
            author: Some("anna".into()),
            signed: false,
            time: Some(1_770_128_625_000_000),
            source: Some("api".into()),
            transaction: Some(12),
            defaults: Vec::new(),
            step: None,
        }))
    }
}

fn tools() -> World {
    let mut world = World::new(TOOLS);
    for (tool, qualities) in
        [("a", &[0.25, 0.5, 0.0, 0.25][..]), ("b", &[0.75, 0.5, 0.5]), ("c", &[0.25, 0.25])]
    {
        for (run, quality) in qualities.iter().enumerate() {
            let run = Value::Int(run as i64);
            world.add("tool_run", &[text(tool), run, Value::Bool(true), float(*quality)]);
        }
    }
    world
}

#[test]
fn a_tree_reads_from_the_sentence_down() {
    let shown = tools().why(&Fact::new("refine_tool", [text("a")]));
    let origin = "asserted by anna at 2026-02-03T14:23:45Z from api, transaction 12";
    let expected = format!(
        r#"refine_tool("a")
│ by rule refine, tools.dl:16: A poor tool that nobody works on is refined.
├─ a averaged 0.25 over 4 runs; the floor is 0.5
│  │ poor(tool: "a", quality: 0.25)
│  │ by rule poor_tool, tools.dl:11
│  │ with Runs = 4
│  ├─ learned(tool: "a", runs: 4, quality: 0.25)
│  │  │ by rule learned#1, tools.dl:9
│  │  └─ runs = 4 is count(), quality = 0.25 is mean(Quality), over 4 matches with tool "a"
│  │     ├─ tool_run(tool: "a", run: 0, ok: true, quality: 0.25)
│  │     │    {origin}
│  │     ├─ tool_run(tool: "a", run: 1, ok: true, quality: 0.5)
│  │     │    {origin}
│  │     ├─ tool_run(tool: "a", run: 2, ok: true, quality: 0.0)
│  │     │    {origin}
│  │     └─ tool_run(tool: "a", run: 3, ok: true, quality: 0.25)
│  │          {origin}
│  ├─ 4 >= 3   (Runs >= enough)
│  └─ 0.25 < 0.5   (Quality < poor_quality)
└─ no active_refinement("a"): there is no active_refinement at all
"#
    );
    assert_eq!(shown, expected);
}

#[test]
fn a_refusal_names_what_fails_and_what_would_help() {
    let mut world = tools();
    world.add("active_refinement", &[text("a")]);
    let (shown, line, remedies) = world.why_not("refine_tool", &[Some(text("b"))]);
    let expected = r#"refine_tool("b") does not hold.
• rule refine, tools.dl:16: A poor tool that nobody works on is refined.
  with Tool = "b"
  ✗ poor(tool: "b", _) is missing
    • rule poor_tool, tools.dl:11
      with Tool = "b", Quality = 0.5833333333333334, Runs = 3
      ✗ `Quality < poor_quality` fails: 0.5833333333333334 < 0.5
"#;
    assert_eq!(shown, expected);
    assert_eq!(line, "rule poor_tool: `Quality < poor_quality` fails: 0.5833333333333334 < 0.5");
    assert!(
        remedies.contains("2. assert tool_run(tool: \"b\", run: any, ok: any, quality: 0.24)\n"),
        "{remedies}"
    );
    assert!(remedies.contains("1. set poor_quality = 0.583334 (now 0.5)\n"), "{remedies}");
    let (shown, _, remedies) = world.why_not("refine_tool", &[Some(text("a"))]);
    assert!(shown.contains("✗ active_refinement(\"a\") holds but must not"), "{shown}");
    assert_eq!(remedies, "This change would make it hold:\n  1. retract active_refinement(\"a\")\n");
}

#[test]
fn a_count_that_misses_is_met_by_one_more_or_a_lower_bound() {
    let (_, line, remedies) = tools().why_not("refine_tool", &[Some(text("c"))]);
    assert_eq!(line, "rule poor_tool: `Runs >= enough` fails: 2 >= 3");
    assert!(remedies.contains("set enough = 2 (now 3)"), "{remedies}");
    let more = "assert tool_run(tool: \"c\", run: any, ok: any, quality: 0.24)";
    assert!(remedies.contains(more), "{remedies}");
}

#[test]
fn a_limit_tells_the_rank_and_what_a_person_must_give_is_marked() {
    let world = tools();
    let (shown, line, remedies) = world.why_not("worst", &[Some(text("c")), None]);
    assert_eq!(
        line, "rule worst_first: it ranks 2 of 3 by Quality = 0.25, and only the first is kept",
        "{shown}"
    );
    assert!(remedies.contains("set kept = 2 (now 1)"), "{remedies}");
    let (_, line, remedies) = world.why_not("drop_tool", &[Some(text("a"))]);
    assert_eq!(
        line,
        "rule drop_tool#1: review(tool: \"a\", approved: true, _) is missing: there is no review at all"
    );
    let human = "This change would make it hold:\n  1. assert review(tool: \"a\", approved: true, by: any) (needs a reviewer)\n";
    assert_eq!(remedies, human);
}

#[test]
fn a_difference_gives_a_reason_on_both_sides() {
    let before = tools();
    let mut after = tools();
    after.program.params[0].value = float(0.125);
    let (old, new) = (before.model(), after.model());
    let one = Finder::new(&before.program, &old, &before.sources, &NoOrigins);
    let other = Finder::new(&after.program, &new, &after.sources, &NoOrigins);
    let found = difference(Side::new(&one), Side::new(&other), &ComparedRelations::Decisions, 10).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].drawn.is_empty() && found[0].relation.as_str() == "refine_tool");
    let lapsed = &found[0].lapsed[0];
    assert_eq!(lapsed.fact.fact(), Some(Fact::new("refine_tool", [text("a")])));
    let was = "rule refine: poor(tool: \"a\", quality: 0.25) and \
               no active_refinement(\"a\"): there is no active_refinement at all";
    assert_eq!(lapsed.before.as_deref(), Some(was));
    assert_eq!(lapsed.after.as_deref(), Some("rule poor_tool: `Quality < poor_quality` fails: 0.25 < 0.125"));
    let relations = ComparedRelations::Relations(vec!["poor".into(), "learned".into()]);
    assert_eq!(
        difference(Side::new(&one), Side::new(&other), &relations, 0).unwrap()[0].lapsed[0].before,
        None
    );
}

#[test]
fn proofs_ten_thousand_steps_deep_and_groups_of_a_hundred_thousand_are_found() {
    let mut world = World::new(
        "input start(at: int). input edge(from: int, to: int). relation reach(to: int).
        reach(X) :- start(X). reach(Y) :- reach(X), edge(X, Y).
        relation total(sum: int). total(sum(X)) :- edge(X, _).",
    );
    world.add("start", &[Value::Int(0)]);
    for at in 0..10_000 {
        world.add("edge", &[Value::Int(at), Value::Int(at + 1)]);
    }
    let model = world.model();
    let finder = Finder::new(&world.program, &model, &world.sources, &NoOrigins);
    let proof = finder.why(&Fact::new("reach", [Value::Int(10_000)])).unwrap().unwrap();
    assert_eq!((proof.height, proof.steps.len()), (10_001, 20_002));
    let short = tree(&proof, &world.program, &Layout::default());
    assert!(short.lines().count() < 1_000 && short.ends_with("… 19802 more steps\n"));
    let whole = tree(&proof, &world.program, &Layout { steps: usize::MAX, ..Layout::default() });
    assert!(whole.lines().count() > 40_000);
    for at in 10_000..100_000 {
        world.add("edge", &[Value::Int(at), Value::Int(at + 2)]);
    }
    let model = world.model();
    let finder = Finder::new(&world.program, &model, &world.sources, &NoOrigins);
    let sum = Fact::new("total", [Value::Int((0..100_000).sum())]);
    let proof = finder.why(&sum).unwrap().unwrap();
    assert_eq!(proof.steps.len(), 6);
    let all = Finder::new(&world.program, &model, &world.sources, &NoOrigins).inputs(usize::MAX);
    assert_eq!(all.why(&sum).unwrap().unwrap().steps.len(), 100_001);
}
