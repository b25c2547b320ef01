//! A proof as a tree of lines for a terminal: the sentence first, what it needs below it.

use std::collections::{HashSet, VecDeque};

use hence_core::fault::OrBroken;
use hence_core::literal::visible;
use hence_lang::ir::Program;

use super::super::proof::{AggregateMatch, Group, Premise, Proof, Step, StepId, StepKind};
use super::text;

/// How a tree is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether the variables of each step are shown, but for those that the fact shows.
    pub bindings: bool,
    /// How many steps are shown at most.
    pub steps: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self { width: 100, bindings: true, steps: 200 }
    }
}

/// Deeper than this the tree goes on at the left margin, under a number.
const LEVELS: usize = 12;

/// A line of text beyond so many terminal lines is cut.
const LINES_OF_ONE: usize = 6;

/// The tree of a proof, ending with a line feed.
pub fn tree(proof: &Proof, program: &Program, layout: &Layout) -> String {
    let mut writer = Writer {
        proof,
        program,
        layout,
        out: String::new(),
        shown: HashSet::new(),
        later: VecDeque::new(),
        stack: vec![Node { prefix: String::new(), level: 0, last: true, item: Item::Step(StepId(0), true) }],
    };
    writer.run();
    writer.out
}

/// Something to be printed.
struct Node<'p> {
    prefix: String,
    level: usize,
    last: bool,
    item: Item<'p>,
}

enum Item<'p> {
    /// A step; whether it is expanded here even if it is deep.
    Step(StepId, bool),
    /// A premise that is no step.
    Premise(&'p Premise),
    /// An input of an aggregate that took more than one fact.
    Input(&'p AggregateMatch, usize),
    /// A remark.
    Note(String),
}

struct Writer<'p> {
    proof: &'p Proof,
    program: &'p Program,
    layout: &'p Layout,
    out: String,
    shown: HashSet<StepId>,
    later: VecDeque<StepId>,
    stack: Vec<Node<'p>>,
}

impl<'p> Writer<'p> {
    fn run(&mut self) {
        loop {
            while let Some(node) = self.stack.pop() {
                if self.shown.len() >= self.layout.steps {
                    return self.stop();
                }
                self.node(node);
            }
            let Some(next) = self.later.pop_front() else { return };
            if self.shown.contains(&next) {
                continue;
            }
            self.out.push('\n');
            let item = Item::Step(next, true);
            self.stack.push(Node { prefix: String::new(), level: 0, last: true, item });
        }
    }

    fn stop(&mut self) {
        let left = self.proof.steps.len().saturating_sub(self.shown.len());
        self.out.push_str(&format!("… {left} more steps\n"));
    }

    fn node(&mut self, node: Node<'p>) {
        let (lines, children) = match &node.item {
            Item::Step(id, open) => self.step(*id, *open, node.level),
            Item::Premise(premise) => self.premise(premise),
            Item::Input(input, number) => self.input(input, *number),
            Item::Note(text) => (vec![text.clone()], Vec::new()),
        };
        self.lines(&node, &lines, !children.is_empty());
        let prefix = match (node.level, node.last) {
            (0, _) => String::new(),
            (_, true) => format!("{}   ", node.prefix),
            (_, false) => format!("{}│  ", node.prefix),
        };
        let count = children.len();
        for (at, item) in children.into_iter().enumerate().rev() {
            let prefix = prefix.clone();
            self.stack.push(Node { prefix, level: node.level + 1, last: at + 1 == count, item });
        }
    }

    /// Prints the lines of a node, the first after its branch, the others below it.
    fn lines(&mut self, node: &Node<'_>, lines: &[String], has_children: bool) {
        let (branch, below) = match (node.level, node.last) {
            (0, _) => ("", ""),
            (_, true) => ("└─ ", "   "),
            (_, false) => ("├─ ", "│  "),
        };
        let hang = if has_children { "│ " } else { "  " };
        let mut first = true;
        for line in lines {
            let used = node.prefix.chars().count() + 5;
            for piece in wrap(&visible(line), self.layout.width.saturating_sub(used).max(24)) {
                let lead = if first { branch } else { below };
                let hang = if first { "" } else { hang };
                self.out.push_str(format!("{}{lead}{hang}{piece}", node.prefix).trim_end());
                self.out.push('\n');
                first = false;
            }
        }
    }

    fn step(&mut self, id: StepId, open: bool, level: usize) -> (Vec<String>, Vec<Item<'p>>) {
        let proof = self.proof;
        let step = proof.step(id).or_broken(StepId::INVARIANT);
        let fact = text::step_text(self.program, step);
        let StepKind::Derived(derived) = &step.kind else {
            self.shown.insert(id);
            return (self.leaf(step, fact), Vec::new());
        };
        if self.shown.contains(&id) {
            return (vec![format!("{fact} (shown above)")], Vec::new());
        }
        if level > LEVELS && !open {
            self.later.push_back(id);
            return (vec![format!("{fact} (shown below as [{}])", id.0)], Vec::new());
        }
        self.shown.insert(id);
        let mut lines = Vec::new();
        let number = if level == 0 && id.0 > 0 { format!("[{}] ", id.0) } else { String::new() };
        let by = text::rule_text(derived);
        match &derived.sentence {
            Some(sentence) => lines.extend([format!("{number}{sentence}"), fact, by]),
            None => lines.extend([format!("{number}{fact}"), by]),
        }
        lines.extend(text::computed_lines(derived));
        lines.extend(text::step_bindings(self.program, derived).filter(|_| self.layout.bindings));
        (lines, text::told(&derived.premises).map(item).collect())
    }

    /// A fact that no rule derived: on one line if that fits, else on two.
    fn leaf(&self, step: &Step, fact: String) -> Vec<String> {
        let ground = text::ground(step);
        if fact.chars().count() + ground.chars().count() + 24 < self.layout.width {
            vec![format!("{fact} · {ground}")]
        } else {
            vec![fact, ground]
        }
    }

    fn premise(&self, premise: &'p Premise) -> (Vec<String>, Vec<Item<'p>>) {
        let line = text::premise_text(self.program, premise);
        let children = match premise {
            Premise::Aggregate(group) => inputs(group),
            _ => Vec::new(),
        };
        (vec![line], children)
    }

    fn input(&self, input: &'p AggregateMatch, number: usize) -> (Vec<String>, Vec<Item<'p>>) {
        let args: Vec<_> = input.args.iter().flatten().map(ToString::to_string).collect();
        let with = if args.is_empty() { String::new() } else { format!(": {}", args.join(", ")) };
        (vec![format!("match {number}{with}")], input.premises.iter().map(item).collect())
    }
}

fn item(premise: &Premise) -> Item<'_> {
    match premise {
        Premise::Fact(id) => Item::Step(*id, false),
        other => Item::Premise(other),
    }
}

/// The inputs of a group: the facts themselves where each match took just one and nothing else.
fn inputs(group: &Group) -> Vec<Item<'_>> {
    let mut items: Vec<_> = group
        .inputs
        .iter()
        .enumerate()
        .map(|(at, input)| match input.premises.as_slice() {
            [Premise::Fact(id)] => Item::Step(*id, false),
            _ => Item::Input(input, at + 1),
        })
        .collect();
    let left = group.matches.saturating_sub(group.inputs.len());
    if left > 0 {
        items.push(Item::Note(format!("… and {left} more")));
    }
    items
}

/// Breaks a text into lines at spaces; words that are too long are broken, very long texts are cut.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        for (at, piece) in pieces(word, width).into_iter().enumerate() {
            let length = piece.chars().count();
            let space = usize::from(used > 0 && at == 0);
            if used > 0 && (used + space + length > width || at > 0) {
                lines.push(String::new());
                used = 0;
            }
            let line = lines.last_mut().or_broken("a text that is broken into lines has one");
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(&piece);
            used += length;
        }
    }
    if lines.len() > LINES_OF_ONE {
        lines.truncate(LINES_OF_ONE);
        lines.push(String::from("…"));
    }
    lines
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.is_empty() {
        return vec![String::new()];
    }
    chars.chunks(width).take(LINES_OF_ONE + 1).map(|chunk| chunk.iter().collect()).collect()
}
