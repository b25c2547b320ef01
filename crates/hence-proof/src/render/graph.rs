//! Proofs as graphs: DOT and Mermaid text, one node a step or premise, an edge from what is derived to what it needs.

use hence_core::literal::visible;
use hence_lang::ir::Program;

use super::super::proof::{Group, Premise, Proof, StepId, StepKind};
use super::text;

/// How many characters of a line a node shows.
const LABEL: usize = 80;

/// A node: its lines, and what kind it is.
struct Node {
    lines: Vec<String>,
    kind: NodeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Derived,
    Asserted,
    Condition,
}

/// The nodes and edges of a proof; the first nodes are the steps.
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<(usize, usize)>,
}

impl Graph {
    fn of(proof: &Proof, program: &Program) -> Self {
        let mut graph = Self { nodes: Vec::new(), edges: Vec::new() };
        for step in &proof.steps {
            let fact = text::step_text(program, step);
            let (lines, kind) = match &step.kind {
                StepKind::Derived(derived) => {
                    let sentence = derived.sentence.clone().into_iter();
                    (sentence.chain([fact, text::rule_text(derived)]).collect(), NodeKind::Derived)
                }
                _ => (vec![fact, text::ground(step)], NodeKind::Asserted),
            };
            graph.nodes.push(Node { lines, kind });
        }
        for (at, step) in proof.steps.iter().enumerate() {
            let StepKind::Derived(derived) = &step.kind else { continue };
            for premise in &derived.premises {
                graph.premise(at, premise, program);
            }
        }
        graph
    }

    fn premise(&mut self, from: usize, premise: &Premise, program: &Program) {
        match premise {
            Premise::Fact(StepId(id)) => self.edges.push((from, *id as usize)),
            other => {
                let to = self.nodes.len();
                let lines = vec![text::premise_text(program, other)];
                self.nodes.push(Node { lines, kind: NodeKind::Condition });
                self.edges.push((from, to));
                if let Premise::Aggregate(group) = other {
                    self.inputs(to, group);
                }
            }
        }
    }

    fn inputs(&mut self, from: usize, group: &Group) {
        for premise in group.inputs.iter().flat_map(|input| &input.premises) {
            match premise {
                Premise::Fact(StepId(id)) => self.edges.push((from, *id as usize)),
                // The inputs of an aggregate inside a body hold no other.
                Premise::Aggregate(inner) => self.inputs(from, inner),
                _ => {}
            }
        }
        let left = group.matches.saturating_sub(group.inputs.len());
        if left > 0 {
            let to = self.nodes.len();
            self.nodes.push(Node { lines: vec![format!("… and {left} more")], kind: NodeKind::Condition });
            self.edges.push((from, to));
        }
        self.edges.dedup();
    }
}

fn short(line: &str) -> String {
    let line = visible(line);
    if line.chars().count() <= LABEL {
        return line.into_owned();
    }
    line.chars().take(LABEL - 1).chain(['…']).collect()
}

/// The proof for Graphviz.
pub fn dot(proof: &Proof, program: &Program) -> String {
    let graph = Graph::of(proof, program);
    let mut out = String::from("digraph proof {\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let escaped = |line: &String| short(line).replace('\\', "\\\\").replace('"', "\\\"");
        let label = node.lines.iter().map(escaped).collect::<Vec<_>>().join("\\n");
        let style = match node.kind {
            NodeKind::Derived => "shape=box, style=rounded",
            NodeKind::Asserted => "shape=box, style=filled, fillcolor=\"#eeeeee\"",
            NodeKind::Condition => "shape=plaintext",
        };
        out.push_str(&format!("  n{at} [label=\"{label}\", {style}];\n"));
    }
    for (from, to) in &graph.edges {
        out.push_str(&format!("  n{from} -> n{to};\n"));
    }
    out.push_str("}\n");
    out
}

/// The proof for Mermaid.
pub fn mermaid(proof: &Proof, program: &Program) -> String {
    let graph = Graph::of(proof, program);
    let mut out = String::from("flowchart TD\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let escaped = |line: &String| escape(&short(line));
        let label = node.lines.iter().map(escaped).collect::<Vec<_>>().join("<br/>");
        let (open, close) = match node.kind {
            NodeKind::Derived => ("(", ")"),
            NodeKind::Asserted => ("[", "]"),
            NodeKind::Condition => ("([", "])"),
        };
        out.push_str(&format!("  n{at}{open}\"{label}\"{close}\n"));
    }
    for (from, to) in &graph.edges {
        out.push_str(&format!("  n{from} --> n{to}\n"));
    }
    out
}

/// Text inside HTML and Mermaid labels; Mermaid takes `#` for the start of an entity.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '#' => out.push_str("&#35;"),
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
