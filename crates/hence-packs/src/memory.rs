//! `memory`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: what is worth remembering now.

#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{BadFact, BadParam, Bounds, Column, Columns, Name, Record, Row, RunError};
#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{Symbol, Tables, Undetermined, Word, broken, drawn, fill};

pub use compiled::PACK;

/// The time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Now {
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Now {
    const TABLE: usize = 0;
    const RELATION: &'static str = "now";

    fn write(&self, row: &mut Row) {
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { at: columns.take() }
    }
}

/// A word of a task, of more than three letters; learnings are found by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskWord {
    /// `task`
    pub task: String,
    /// `word`
    pub word: String,
}

impl Record for TaskWord {
    const TABLE: usize = 1;
    const RELATION: &'static str = "task_word";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), word: columns.take() }
    }
}

/// A word of the topic of a task, without stop words; remembered contexts are found by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicWord {
    /// `task`
    pub task: String,
    /// `word`
    pub word: String,
}

impl Record for TopicWord {
    const TABLE: usize = 2;
    const RELATION: &'static str = "topic_word";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), word: columns.take() }
    }
}

/// What column `field` of `learning_word` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LearningWordField {
    /// `/trigger`
    Trigger,
    /// `/lesson`
    Lesson,
    /// `/applies_to`
    AppliesTo,
    /// `/fix`
    Fix,
}

impl LearningWordField {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trigger => "/trigger",
            Self::Lesson => "/lesson",
            Self::AppliesTo => "/applies_to",
            Self::Fix => "/fix",
        }
    }
}

impl Column for LearningWordField {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/trigger" => Self::Trigger,
            "/lesson" => Self::Lesson,
            "/applies_to" => Self::AppliesTo,
            "/fix" => Self::Fix,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// A word of a field of a learning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LearningWord {
    /// `learning`
    pub learning: String,
    /// `field`
    pub field: LearningWordField,
    /// `word`
    pub word: String,
}

impl Record for LearningWord {
    const TABLE: usize = 3;
    const RELATION: &'static str = "learning_word";

    fn write(&self, row: &mut Row) {
        row.put("learning", &self.learning);
        row.put("field", &self.field);
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { learning: columns.take(), field: columns.take(), word: columns.take() }
    }
}

/// Something learned, and how sure it is, from 0 to 1.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Learning {
    /// `learning`
    pub learning: String,
    /// `confidence`
    pub confidence: f64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Learning {
    const TABLE: usize = 4;
    const RELATION: &'static str = "learning";

    fn write(&self, row: &mut Row) {
        row.put("learning", &self.learning);
        row.put("confidence", &self.confidence);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { learning: columns.take(), confidence: columns.take(), at: columns.take() }
    }
}

/// What column `kind` of `candidate` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CandidateKind {
    /// `/incident`
    Incident,
    /// `/knowledge`
    Knowledge,
    /// `/action`
    Action,
    /// `/sender`
    Sender,
    /// `/recent`
    Recent,
}

impl CandidateKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Incident => "/incident",
            Self::Knowledge => "/knowledge",
            Self::Action => "/action",
            Self::Sender => "/sender",
            Self::Recent => "/recent",
        }
    }
}

impl Column for CandidateKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/incident" => Self::Incident,
            "/knowledge" => Self::Knowledge,
            "/action" => Self::Action,
            "/sender" => Self::Sender,
            "/recent" => Self::Recent,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Something that could help with an event: how alike it is, from 0 to 1, and how long.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Candidate {
    /// `event`
    pub event: String,
    /// `item`
    pub item: String,
    /// `kind`
    pub kind: CandidateKind,
    /// `similarity`
    pub similarity: f64,
    /// `tokens`
    pub tokens: i64,
}

impl Record for Candidate {
    const TABLE: usize = 5;
    const RELATION: &'static str = "candidate";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("item", &self.item);
        row.put("kind", &self.kind);
        row.put("similarity", &self.similarity);
        row.put("tokens", &self.tokens);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            event: columns.take(),
            item: columns.take(),
            kind: columns.take(),
            similarity: columns.take(),
            tokens: columns.take(),
        }
    }
}

/// When a candidate happened; the latest counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CandidateAt {
    /// `event`
    pub event: String,
    /// `item`
    pub item: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for CandidateAt {
    const TABLE: usize = 6;
    const RELATION: &'static str = "candidate_at";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
        row.put("item", &self.item);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take(), item: columns.take(), at: columns.take() }
    }
}

/// A remembered context, and when it was last used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cached {
    /// `fingerprint`
    pub fingerprint: String,
    /// `used`, in microseconds since the epoch
    pub used: i64,
}

impl Record for Cached {
    const TABLE: usize = 7;
    const RELATION: &'static str = "cached";

    fn write(&self, row: &mut Row) {
        row.put("fingerprint", &self.fingerprint);
        row.put("used", &self.used);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { fingerprint: columns.take(), used: columns.take() }
    }
}

/// A topic word of the task that a remembered context was made for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CachedWord {
    /// `fingerprint`
    pub fingerprint: String,
    /// `word`
    pub word: String,
}

impl Record for CachedWord {
    const TABLE: usize = 8;
    const RELATION: &'static str = "cached_word";

    fn write(&self, row: &mut Row) {
        row.put("fingerprint", &self.fingerprint);
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { fingerprint: columns.take(), word: columns.take() }
    }
}

/// The name of a file that changed, without its last extension, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileChanged {
    /// `word`
    pub word: String,
}

impl Record for FileChanged {
    const TABLE: usize = 9;
    const RELATION: &'static str = "file_changed";

    fn write(&self, row: &mut Row) {
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { word: columns.take() }
    }
}

/// Summarise the context of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Summarise {
    /// `event`
    pub event: String,
}

impl Record for Summarise {
    const TABLE: usize = 25;
    const RELATION: &'static str = "summarise";

    fn write(&self, row: &mut Row) {
        row.put("event", &self.event);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { event: columns.take() }
    }
}

/// Forget a remembered context.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Evict {
    /// `fingerprint`
    pub fingerprint: String,
}

impl Record for Evict {
    const TABLE: usize = 28;
    const RELATION: &'static str = "evict";

    fn write(&self, row: &mut Row) {
        row.put("fingerprint", &self.fingerprint);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { fingerprint: columns.take() }
    }
}

/// A remembered context serves for the task.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheHit {
    /// `task`
    pub task: String,
    /// `fingerprint`
    pub fingerprint: String,
}

impl Record for CacheHit {
    const TABLE: usize = 33;
    const RELATION: &'static str = "cache_hit";

    fn write(&self, row: &mut Row) {
        row.put("task", &self.task);
        row.put("fingerprint", &self.fingerprint);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { task: columns.take(), fingerprint: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// So many learnings are recalled for a task.
    pub recall_count: i64,
    /// An incident must be this much alike.
    pub incident_similarity: f64,
    /// Knowledge and actions must be this much alike.
    pub other_similarity: f64,
    /// So many incidents are taken.
    pub incidents_kept: i64,
    /// So many items of each other kind are taken.
    pub others_kept: i64,
    /// What is younger than this is recent.
    pub recent_span: i64,
    /// The most tokens of a context.
    pub context_tokens: i64,
    /// More tokens than this are summarised.
    pub summary_tokens: i64,
    /// Word sets more alike than this make a remembered context serve again.
    pub cache_similarity: f64,
    /// A remembered context that was not used for so long is forgotten.
    pub cache_life: i64,
    /// So many remembered contexts are kept.
    pub cache_size: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            recall_count: 5,
            incident_similarity: 0.55,
            other_similarity: 0.5,
            incidents_kept: 3,
            others_kept: 5,
            recent_span: 86400000000,
            context_tokens: 3000,
            summary_tokens: 2000,
            cache_similarity: 0.7,
            cache_life: 300000000,
            cache_size: 10,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("recall_count", &self.recall_count);
        row.put("incident_similarity", &self.incident_similarity);
        row.put("other_similarity", &self.other_similarity);
        row.put("incidents_kept", &self.incidents_kept);
        row.put("others_kept", &self.others_kept);
        row.put("recent_span", &self.recent_span);
        row.put("context_tokens", &self.context_tokens);
        row.put("summary_tokens", &self.summary_tokens);
        row.put("cache_similarity", &self.cache_similarity);
        row.put("cache_life", &self.cache_life);
        row.put("cache_size", &self.cache_size);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A word of a task, of more than three letters; learnings are found by it.
    pub task_word: Vec<TaskWord>,
    /// A word of the topic of a task, without stop words; remembered contexts are found by it.
    pub topic_word: Vec<TopicWord>,
    /// A word of a field of a learning.
    pub learning_word: Vec<LearningWord>,
    /// Something learned, and how sure it is, from 0 to 1.
    pub learning: Vec<Learning>,
    /// Something that could help with an event: how alike it is, from 0 to 1, and how long.
    pub candidate: Vec<Candidate>,
    /// When a candidate happened; the latest counts.
    pub candidate_at: Vec<CandidateAt>,
    /// A remembered context, and when it was last used.
    pub cached: Vec<Cached>,
    /// A topic word of the task that a remembered context was made for.
    pub cached_word: Vec<CachedWord>,
    /// The name of a file that changed, without its last extension, in lower case.
    pub file_changed: Vec<FileChanged>,
}

impl Facts {
    /// Draws the decisions, each relation's in ascending order.
    ///
    /// # Errors
    /// A value that its column or parameter can't hold, and limits that were reached.
    pub fn decide(&self, params: &Params) -> Result<Decisions, RunError> {
        self.decide_within(params, &Bounds::default())
    }

    /// Draws the decisions within the given limits.
    ///
    /// # Errors
    /// As [`Facts::decide`].
    pub fn decide_within(&self, params: &Params, bounds: &Bounds) -> Result<Decisions, RunError> {
        let decided = PACK.decide(|tables| self.fill(tables), &params.words()?, bounds)?;
        Ok(Decisions {
            summarise: drawn(&decided.tables),
            evict: drawn(&decided.tables),
            cache_hit: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.task_word)?;
        fill(tables, &self.topic_word)?;
        fill(tables, &self.learning_word)?;
        fill(tables, &self.learning)?;
        fill(tables, &self.candidate)?;
        fill(tables, &self.candidate_at)?;
        fill(tables, &self.cached)?;
        fill(tables, &self.cached_word)?;
        fill(tables, &self.file_changed)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<TaskWord> for Facts {
    fn extend<Many: IntoIterator<Item = TaskWord>>(&mut self, facts: Many) {
        self.task_word.extend(facts);
    }
}

impl Extend<TopicWord> for Facts {
    fn extend<Many: IntoIterator<Item = TopicWord>>(&mut self, facts: Many) {
        self.topic_word.extend(facts);
    }
}

impl Extend<LearningWord> for Facts {
    fn extend<Many: IntoIterator<Item = LearningWord>>(&mut self, facts: Many) {
        self.learning_word.extend(facts);
    }
}

impl Extend<Learning> for Facts {
    fn extend<Many: IntoIterator<Item = Learning>>(&mut self, facts: Many) {
        self.learning.extend(facts);
    }
}

impl Extend<Candidate> for Facts {
    fn extend<Many: IntoIterator<Item = Candidate>>(&mut self, facts: Many) {
        self.candidate.extend(facts);
    }
}

impl Extend<CandidateAt> for Facts {
    fn extend<Many: IntoIterator<Item = CandidateAt>>(&mut self, facts: Many) {
        self.candidate_at.extend(facts);
    }
}

impl Extend<Cached> for Facts {
    fn extend<Many: IntoIterator<Item = Cached>>(&mut self, facts: Many) {
        self.cached.extend(facts);
    }
}

impl Extend<CachedWord> for Facts {
    fn extend<Many: IntoIterator<Item = CachedWord>>(&mut self, facts: Many) {
        self.cached_word.extend(facts);
    }
}

impl Extend<FileChanged> for Facts {
    fn extend<Many: IntoIterator<Item = FileChanged>>(&mut self, facts: Many) {
        self.file_changed.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Summarise the context of an event.
    pub summarise: Vec<Summarise>,
    /// Forget a remembered context.
    pub evict: Vec<Evict>,
    /// A remembered context serves for the task.
    pub cache_hit: Vec<CacheHit>,
    /// Rows that follow possibly and not certainly, because of undefined operations; they are not drawn.
    pub undetermined: Vec<Undetermined>,
    /// Undefined operations, one line each.
    pub reports: Vec<String>,
}

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    clippy::all,
    reason = "what crepe makes of rules, and which names they need"
)]
mod compiled {
    use crate::support::*;

    /// These rules, as an engine runs them.
    #[rustfmt::skip]
    pub static PACK: Pack = Pack {
        name: "memory",
        fingerprint: "cdadd63525b7a18d6c7118251762b25e",
        relations: &["now", "task_word", "topic_word", "learning_word", "learning", "candidate", "candidate_at", "cached", "cached_word", "file_changed", "field_weight", "common_word", "relevance", "recalled", "found_by_similarity", "similar_item", "happened", "latest_item", "ranked_similar", "similar_end", "ranked_sender", "sender_end", "ranked_item", "context_item", "best_tokens", "summarise", "last_used", "kept_context", "evict", "topic_words", "context_words", "shared_words", "word_likeness", "cache_hit"],
        params: &["recall_count", "incident_similarity", "other_similarity", "incidents_kept", "others_kept", "recent_span", "context_tokens", "summary_tokens", "cache_similarity", "cache_life", "cache_size"],
        rule_ids: &["common_word#1", "relevance#1", "most_relevant_learnings", "best_incidents", "best_of_other_kinds", "happened#1", "latest_of_sender", "latest_of_all", "ranked_similar#1", "similar_end#1", "similar_end#2", "ranked_sender#1", "sender_end#1", "sender_end#2", "ranked_item#1", "ranked_item#2", "ranked_item#3", "first_item_fits", "next_item_fits", "best_tokens#1", "context_too_long", "last_used#1", "kept_context#1", "not_used_for_long", "crowded_out", "made_stale", "topic_words#1", "context_words#1", "shared_words#1", "word_likeness#1", "most_alike_context"],
        arities: &[1, 2, 2, 3, 3, 5, 3, 2, 2, 1, 2, 4, 3, 3, 1, 5, 3, 5, 5, 2, 4, 2, 4, 4, 2, 1, 2, 1, 1, 2, 2, 3, 3, 2, 5, 6, 4, 5, 3, 6, 7, 6, 5, 4, 4, 2, 2, 2, 2, 3, 4],
        rules: &[&RULE_1, &RULE_2, &RULE_3, &RULE_4, &RULE_5, &RULE_6, &RULE_7, &RULE_8, &RULE_9, &RULE_11, &RULE_12, &RULE_16, &RULE_18, &RULE_19, &RULE_21, &RULE_22, &RULE_23, &RULE_26, &RULE_27, &RULE_28, &RULE_29, &RULE_30],
        decisions: &["cache_hit", "evict", "summarise"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 34, &RULE_1, params);
        limit(tables, 36, &RULE_3, params);
        limit(tables, 37, &RULE_4, params);
        aggregate(tables, 38, &RULE_5, params);
        aggregate(tables, 45, &RULE_21, params);
        aggregate(tables, 47, &RULE_26, params);
        aggregate(tables, 48, &RULE_27, params);
        aggregate(tables, 49, &RULE_28, params);
        program_1::run(tables, params);
        limit(tables, 35, &RULE_2, params);
        limit(tables, 39, &RULE_6, params);
        limit(tables, 40, &RULE_7, params);
        limit(tables, 41, &RULE_8, params);
        limit(tables, 46, &RULE_22, params);
        program_2::run(tables, params);
        aggregate(tables, 42, &RULE_9, params);
        limit(tables, 50, &RULE_30, params);
        program_3::run(tables, params);
        aggregate(tables, 43, &RULE_12, params);
        program_4::run(tables, params);
        aggregate(tables, 44, &RULE_19, params);
        program_5::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(10, &FACTS_10);
        tables.facts(14, &FACTS_14);
    }

    /// The facts of `field_weight`.
    #[rustfmt::skip]
    static FACTS_10: [[Cell; 2]; 4] = [
        [Cell::T("/trigger"), Cell::I(2)],
        [Cell::T("/lesson"), Cell::I(1)],
        [Cell::T("/applies_to"), Cell::I(0)],
        [Cell::T("/fix"), Cell::I(0)],
    ];

    /// The facts of `found_by_similarity`.
    #[rustfmt::skip]
    static FACTS_14: [[Cell; 1]; 2] = [
        [Cell::T("/knowledge")],
        [Cell::T("/action")],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/incident",
        "/sender",
        "/recent",
    ]);

    // common_word#1
    fn common_word_0_0(text_4: Word, word_3: Word) -> Word {
        sure(Op::Contains, &[text_4, word_3])
    }

    // best_incidents
    fn similar_item_3_0(similarity_2: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[similarity_2, p1])
    }

    // best_of_other_kinds
    fn similar_item_4_0(similarity_3: Word, p2: Word) -> Word {
        sure(Op::GreaterEqual, &[similarity_3, p2])
    }

    // latest_of_all
    fn latest_item_7_0(now_5: Word, at_4: Word, p5: Word) -> Eval {
        Ok(sure(Op::Less, &[two(Op::SubInt, 0, now_5, at_4)?, p5]))
    }

    // ranked_sender#1
    fn ranked_sender_11_0(end_3: Word, rank_4: Word) -> Eval {
        two(Op::AddInt, 0, end_3, rank_4)
    }

    // ranked_item#3
    fn ranked_item_16_0(end_3: Word, rank_4: Word) -> Eval {
        two(Op::AddInt, 0, end_3, rank_4)
    }

    // first_item_fits
    fn context_item_17_0(tokens_2: Word, p6: Word) -> Word {
        sure(Op::LessEqual, &[tokens_2, p6])
    }

    // next_item_fits
    fn context_item_18_0(rank_2: Word, before_4: Word) -> Eval {
        Ok(sure(Op::Equal, &[rank_2, two(Op::AddInt, 0, before_4, int(1))?]))
    }

    fn context_item_18_1(so_far_5: Word, tokens_6: Word) -> Eval {
        two(Op::AddInt, 1, so_far_5, tokens_6)
    }

    fn context_item_18_2(total_3: Word, p6: Word) -> Word {
        sure(Op::LessEqual, &[total_3, p6])
    }

    // context_too_long
    fn summarise_20_0(tokens_1: Word, p7: Word) -> Word {
        sure(Op::Greater, &[tokens_1, p7])
    }

    // not_used_for_long
    fn evict_23_0(now_2: Word, used_1: Word, p9: Word) -> Eval {
        Ok(sure(Op::GreaterEqual, &[two(Op::SubInt, 0, now_2, used_1)?, p9]))
    }

    // made_stale
    fn evict_25_0(word_1: Word, file_2: Word) -> Word {
        sure(Op::Contains, &[word_1, file_2])
    }

    // word_likeness#1
    #[rustfmt::skip]
    fn word_likeness_29_0(shared_2: Word, in_task_3: Word, in_context_4: Word) -> Eval {
        two(Op::DivFloat, 0, sure(Op::FloatOfInt, &[shared_2]), sure(Op::FloatOfInt, &[two(Op::SubInt, 1, two(Op::AddInt, 2, in_task_3, in_context_4)?, shared_2)?]))
    }

    // most_alike_context
    fn cache_hit_30_0(likeness_2: Word, p8: Word) -> Word {
        sure(Op::Greater, &[likeness_2, p8])
    }

    /// The rule `relevance#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_1: Rule = Rule {
        number: 1,
        id: "relevance#1",
        head: 12,
        variables: &[("Task", Type::String), ("Learning", Type::String), ("Weight", Type::Int), ("Field", Type::Name)],
        body: &[
            Step::Atom(11, &[Arg::Var(0), Arg::Var(1), Arg::Var(3), Arg::Any]),
            Step::Atom(10, &[Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:96:27", "sum(Weight)")],
    };

    /// The rule `most_relevant_learnings`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_2: Rule = Rule {
        number: 2,
        id: "most_relevant_learnings",
        head: 13,
        variables: &[("Task", Type::String), ("Learning", Type::String), ("Rank", Type::Int), ("Score", Type::Int), ("Confidence", Type::Float), ("At", Type::Time)],
        body: &[
            Step::Atom(12, &[Arg::Var(0), Arg::Var(1), Arg::Var(3)]),
            Step::Atom(4, &[Arg::Var(1), Arg::Var(4), Arg::Var(5)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(0)),
            per: &[0],
            by: &[(|m| Ok(m.var(3)), Type::Int, true), (|m| Ok(m.var(4)), Type::Float, true), (|m| Ok(m.var(5)), Type::Time, true)],
            rank: Some(2),
            types: &[Type::String, Type::String, Type::Int],
        }),
        places: &[],
    };

    /// The rule `best_incidents`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_3: Rule = Rule {
        number: 3,
        id: "best_incidents",
        head: 15,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Similarity", Type::Float), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(0))), Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[2], |m| Ok(similar_item_3_0(m.var(2), m.param(1)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(3)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Float, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::String, Type::Name, Type::Float, Type::Int],
        }),
        places: &[],
    };

    /// The rule `best_of_other_kinds`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "best_of_other_kinds",
        head: 15,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Kind", Type::Name), ("Similarity", Type::Float), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
            Step::Atom(14, &[Arg::Var(2)]),
            Step::Test(&[3], |m| Ok(similar_item_4_0(m.var(3), m.param(2)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Var(4),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(4)),
            per: &[0, 2],
            by: &[(|m| Ok(m.var(3)), Type::Float, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::String, Type::Name, Type::Float, Type::Int],
        }),
        places: &[],
    };

    /// The rule `happened#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "happened#1",
        head: 16,
        variables: &[("Event", Type::String), ("Item", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(6, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Max, &[(Type::Time, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:143:23", "max(At)")],
    };

    /// The rule `latest_of_sender`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_6: Rule = Rule {
        number: 6,
        id: "latest_of_sender",
        head: 17,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Rank", Type::Int), ("Tokens", Type::Int), ("At", Type::Time)],
        body: &[
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(1))), Arg::Any, Arg::Var(3)]),
            Step::Atom(16, &[Arg::Var(0), Arg::Var(1), Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(1))),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(4)),
            per: &[0],
            by: &[(|m| Ok(m.var(4)), Type::Time, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: Some(2),
            types: &[Type::String, Type::String, Type::Name, Type::Int, Type::Int],
        }),
        places: &[],
    };

    /// The rule `latest_of_all`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_7: Rule = Rule {
        number: 7,
        id: "latest_of_all",
        head: 17,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Rank", Type::Int), ("Tokens", Type::Int), ("At", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(5, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(2))), Arg::Any, Arg::Var(3)]),
            Step::Atom(16, &[Arg::Var(0), Arg::Var(1), Arg::Var(4)]),
            Step::Atom(0, &[Arg::Var(5)]),
            Step::Test(&[4, 5], |m| latest_item_7_0(m.var(5), m.var(4), m.param(5))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(2))),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(4)),
            per: &[0],
            by: &[(|m| Ok(m.var(4)), Type::Time, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: Some(2),
            types: &[Type::String, Type::String, Type::Name, Type::Int, Type::Int],
        }),
        places: &[("rules/memory/memory.dl:165:5", "Now - At")],
    };

    /// The rule `ranked_similar#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_8: Rule = Rule {
        number: 8,
        id: "ranked_similar#1",
        head: 18,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Kind", Type::Name), ("Tokens", Type::Int), ("Rank", Type::Int), ("Similarity", Type::Float)],
        body: &[
            Step::Atom(15, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(5), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Var(4),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1000000)),
            per: &[0],
            by: &[(|m| Ok(m.var(5)), Type::Float, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: Some(4),
            types: &[Type::String, Type::String, Type::Name, Type::Int, Type::Int],
        }),
        places: &[],
    };

    /// The rule `similar_end#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_9: Rule = Rule {
        number: 9,
        id: "similar_end#1",
        head: 19,
        variables: &[("Event", Type::String), ("Rank", Type::Int)],
        body: &[
            Step::Atom(18, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Max, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:184:20", "max(Rank)")],
    };

    /// The rule `ranked_sender#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_11: Rule = Rule {
        number: 11,
        id: "ranked_sender#1",
        head: 20,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Tokens", Type::Int), ("End", Type::Int), ("Rank", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(1))), Arg::Var(4), Arg::Var(2)]),
            Step::Atom(19, &[Arg::Var(0), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Plain(|m| ranked_sender_11_0(m.var(3), m.var(4))),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:190:36", "End + Rank")],
    };

    /// The rule `sender_end#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_12: Rule = Rule {
        number: 12,
        id: "sender_end#1",
        head: 21,
        variables: &[("Event", Type::String), ("Rank", Type::Int)],
        body: &[
            Step::Atom(20, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Max, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:197:19", "max(Rank)")],
    };

    /// The rule `ranked_item#3`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_16: Rule = Rule {
        number: 16,
        id: "ranked_item#3",
        head: 22,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Tokens", Type::Int), ("End", Type::Int), ("Rank", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(2))), Arg::Var(4), Arg::Var(2)]),
            Step::Atom(21, &[Arg::Var(0), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Plain(|m| ranked_item_16_0(m.var(3), m.var(4))),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:205:34", "End + Rank")],
    };

    /// The rule `next_item_fits`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_18: Rule = Rule {
        number: 18,
        id: "next_item_fits",
        head: 23,
        variables: &[("Event", Type::String), ("Item", Type::String), ("Rank", Type::Int), ("Total", Type::Int), ("Before", Type::Int), ("So_far", Type::Int), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(23, &[Arg::Var(0), Arg::Any, Arg::Var(4), Arg::Var(5)]),
            Step::Test(&[2, 4], |m| context_item_18_0(m.var(2), m.var(4))),
            Step::Atom(22, &[Arg::Var(0), Arg::Var(1), Arg::Var(6), Arg::Var(2)]),
            Step::Bind(3, &[5, 6], |m| context_item_18_1(m.var(5), m.var(6))),
            Step::Test(&[3], |m| Ok(context_item_18_2(m.var(3), m.param(6)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:222:12", "Before + 1"), ("rules/memory/memory.dl:224:13", "So_far + Tokens")],
    };

    /// The rule `best_tokens#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_19: Rule = Rule {
        number: 19,
        id: "best_tokens#1",
        head: 24,
        variables: &[("Event", Type::String), ("Tokens", Type::Int)],
        body: &[
            Step::Atom(22, &[Arg::Var(0), Arg::Any, Arg::Var(1), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:230:20", "sum(Tokens)")],
    };

    /// The rule `last_used#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_21: Rule = Rule {
        number: 21,
        id: "last_used#1",
        head: 26,
        variables: &[("Fingerprint", Type::String), ("Used", Type::Time)],
        body: &[
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Max, &[(Type::Time, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:244:24", "max(Used)")],
    };

    /// The rule `kept_context#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_22: Rule = Rule {
        number: 22,
        id: "kept_context#1",
        head: 27,
        variables: &[("Fingerprint", Type::String), ("Used", Type::Time)],
        body: &[
            Step::Atom(26, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: Some(Limited {
            count: |m| Ok(m.param(10)),
            per: &[],
            by: &[(|m| Ok(m.var(1)), Type::Time, true), (|m| Ok(m.var(0)), Type::String, false)],
            rank: None,
            types: &[Type::String],
        }),
        places: &[],
    };

    /// The rule `not_used_for_long`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_23: Rule = Rule {
        number: 23,
        id: "not_used_for_long",
        head: 28,
        variables: &[("Fingerprint", Type::String), ("Used", Type::Time), ("Now", Type::Time)],
        body: &[
            Step::Atom(26, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(0, &[Arg::Var(2)]),
            Step::Test(&[1, 2], |m| evict_23_0(m.var(2), m.var(1), m.param(9))),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:258:63", "Now - Used")],
    };

    /// The rule `topic_words#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_26: Rule = Rule {
        number: 26,
        id: "topic_words#1",
        head: 29,
        variables: &[("Task", Type::String), ("Word", Type::String)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:275:19", "count(Word)")],
    };

    /// The rule `context_words#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_27: Rule = Rule {
        number: 27,
        id: "context_words#1",
        head: 30,
        variables: &[("Fingerprint", Type::String), ("Word", Type::String)],
        body: &[
            Step::Atom(8, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:280:28", "count(Word)")],
    };

    /// The rule `shared_words#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_28: Rule = Rule {
        number: 28,
        id: "shared_words#1",
        head: 31,
        variables: &[("Task", Type::String), ("Fingerprint", Type::String), ("Word", Type::String)],
        body: &[
            Step::Atom(2, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(8, &[Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(2)))], 0),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:285:33", "count(Word)")],
    };

    /// The rule `word_likeness#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_29: Rule = Rule {
        number: 29,
        id: "word_likeness#1",
        head: 32,
        variables: &[("Task", Type::String), ("Fingerprint", Type::String), ("Shared", Type::Int), ("InTask", Type::Int), ("InContext", Type::Int)],
        body: &[
            Step::Atom(31, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Atom(29, &[Arg::Var(0), Arg::Var(3)]),
            Step::Atom(30, &[Arg::Var(1), Arg::Var(4)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Plain(|m| word_likeness_29_0(m.var(2), m.var(3), m.var(4))),
        ],
        limit: None,
        places: &[("rules/memory/memory.dl:292:34", "float(Shared) / float(InTask + InContext - Shared)"), ("rules/memory/memory.dl:292:56", "InTask + InContext - Shared"), ("rules/memory/memory.dl:292:56", "InTask + InContext")],
    };

    /// The rule `most_alike_context`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_30: Rule = Rule {
        number: 30,
        id: "most_alike_context",
        head: 33,
        variables: &[("Task", Type::String), ("Fingerprint", Type::String), ("Likeness", Type::Float), ("Used", Type::Time)],
        body: &[
            Step::Atom(32, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(cache_hit_30_0(m.var(2), m.param(8)))),
            Step::Atom(26, &[Arg::Var(1), Arg::Var(3)]),
            Step::Not(28, &[Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Float, true), (|m| Ok(m.var(3)), Type::Time, true), (|m| Ok(m.var(1)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::String],
        }),
        places: &[],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R4Learning,
            Row5 as R5Candidate,
            Row2 as R8CachedWord,
            Row2 as R10FieldWeight,
            Row1 as R14FoundBySimilarity,
            Row4 as R11CommonWord,
            Row5 as M1,
            Row4 as M3,
            Row5 as M4,
            Row3 as M5,
            Row2 as M21,
            Row2 as M26,
            Row2 as M27,
            Row3 as M28,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R11CommonWord(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M1(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M3(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M4(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M5(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M21(Word, Word);
            @output
            #[cfg(any())]
            struct M26(Word, Word);
            @output
            #[cfg(any())]
            struct M27(Word, Word);
            @output
            #[cfg(any())]
            struct M28(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4Learning(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5Candidate(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8CachedWord(Word, Word);
            @output
            #[cfg(any())]
            struct R10FieldWeight(Word, Word);
            @output
            #[cfg(any())]
            struct R14FoundBySimilarity(Word);

            R4Learning(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(4);

            R5Candidate(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(5);

            R8CachedWord(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(8);

            R10FieldWeight(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(10);

            R14FoundBySimilarity(c0) <-
                Source(input),
                for [c0] in input.rows(14);

            // common_word#1
            R11CommonWord(task_0, learning_1, field_2, word_3) <-
                Source(input),
                for row_1 in input.rows(1),
                let [task_0, word_3] = row_1,
                for row_3 in input.rows(3),
                let [learning_1, field_2, text_4] = row_3,
                (common_word_0_0(text_4, word_3).as_bool()),
                R4Learning(learning_1, _, _),
                (go());

            // relevance#1
            M1(task_0, learning_1, weight_2, field_3, open_1) <-
                R11CommonWord(task_0, learning_1, field_3, open_1),
                R10FieldWeight(field_3, weight_2),
                (go());

            // best_incidents
            M3(event_0, item_1, similarity_2, tokens_3) <-
                Source(input),
                let p1 = input.param(1),
                R5Candidate(event_0, item_1, TEXTS.word(0), similarity_2, tokens_3),
                (similar_item_3_0(similarity_2, p1).as_bool()),
                (go());

            // best_of_other_kinds
            M4(event_0, item_1, kind_2, similarity_3, tokens_4) <-
                Source(input),
                let p2 = input.param(2),
                R5Candidate(event_0, item_1, kind_2, similarity_3, tokens_4),
                (similar_item_4_0(similarity_3, p2).as_bool()),
                R14FoundBySimilarity(kind_2),
                (go());

            // happened#1
            M5(event_0, item_1, at_2) <-
                Source(input),
                for row_1 in input.rows(6),
                let [event_0, item_1, at_2] = row_1,
                (go());

            // last_used#1
            M21(fingerprint_0, used_1) <-
                Source(input),
                for row_1 in input.rows(7),
                let [fingerprint_0, used_1] = row_1,
                (go());

            // topic_words#1
            M26(task_0, word_1) <-
                Source(input),
                for row_1 in input.rows(2),
                let [task_0, word_1] = row_1,
                (go());

            // context_words#1
            M27(fingerprint_0, word_1) <-
                R8CachedWord(fingerprint_0, word_1),
                (go());

            // shared_words#1
            M28(task_0, fingerprint_1, word_2) <-
                Source(input),
                for row_1 in input.rows(2),
                let [task_0, word_2] = row_1,
                R8CachedWord(fingerprint_1, word_2),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r11_common_word, m1, m3, m4, m5, m21, m26, m27, m28, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(11, &r11_common_word);
            tables.set(34, &m1);
            tables.set(36, &m3);
            tables.set(37, &m4);
            tables.set(38, &m5);
            tables.set(45, &m21);
            tables.set(47, &m26);
            tables.set(48, &m27);
            tables.set(49, &m28);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row3 as R4Learning,
            Row5 as R5Candidate,
            Row3 as R16Happened,
            Row2 as R29TopicWords,
            Row2 as R30ContextWords,
            Row3 as R32WordLikeness,
            Row6 as M2,
            Row6 as M6,
            Row7 as M7,
            Row6 as M8,
            Row2 as M22,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R32WordLikeness(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M2(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M6(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M7(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M8(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M22(Word, Word);
            @output
            #[cfg(any())]
            struct R4Learning(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5Candidate(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R16Happened(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R29TopicWords(Word, Word);
            @output
            #[cfg(any())]
            struct R30ContextWords(Word, Word);

            R4Learning(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(4);

            R5Candidate(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(5);

            R16Happened(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(16);

            R29TopicWords(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(29);

            R30ContextWords(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(30);

            // most_relevant_learnings
            M2(task_0, learning_1, Word(0), score_3, confidence_4, at_5) <-
                Source(input),
                for row_1 in input.rows(12),
                let [task_0, learning_1, score_3] = row_1,
                R4Learning(learning_1, confidence_4, at_5),
                (go());

            // latest_of_sender
            M6(event_0, item_1, Word(0), tokens_3, at_4, open_1) <-
                R5Candidate(event_0, item_1, TEXTS.word(1), open_1, tokens_3),
                R16Happened(event_0, item_1, at_4),
                (go());

            // latest_of_all
            M7(event_0, item_1, Word(0), tokens_3, at_4, now_5, open_1) <-
                Source(input),
                let p5 = input.param(5),
                R5Candidate(event_0, item_1, TEXTS.word(2), open_1, tokens_3),
                R16Happened(event_0, item_1, at_4),
                for row_4 in input.rows(0),
                let [now_5] = row_4,
                let Some(true) = held(7, latest_item_7_0(now_5, at_4, p5)),
                (go());

            // ranked_similar#1
            M8(event_0, item_1, kind_2, tokens_3, Word(0), similarity_5) <-
                Source(input),
                for row_1 in input.rows(15),
                let [event_0, item_1, kind_2, similarity_5, tokens_3] = row_1,
                (go());

            // kept_context#1
            M22(fingerprint_0, used_1) <-
                Source(input),
                for row_1 in input.rows(26),
                let [fingerprint_0, used_1] = row_1,
                (go());

            // word_likeness#1
            R32WordLikeness(task_0, fingerprint_1, head_2) <-
                Source(input),
                for row_1 in input.rows(31),
                let [task_0, fingerprint_1, shared_2] = row_1,
                R29TopicWords(task_0, in_task_3),
                R30ContextWords(fingerprint_1, in_context_4),
                let Some(head_2) = tried(29, word_likeness_29_0(shared_2, in_task_3, in_context_4)),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r32_word_likeness, m2, m6, m7, m8, m22, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(32, &r32_word_likeness);
            tables.set(35, &m2);
            tables.set(39, &m6);
            tables.set(40, &m7);
            tables.set(41, &m8);
            tables.set(46, &m22);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R8CachedWord,
            Row2 as R26LastUsed,
            Row1 as R27KeptContext,
            Row1 as R28Evict,
            Row5 as M9,
            Row4 as M30,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R28Evict(Word);
            @output
            #[cfg(any())]
            struct M9(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M30(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8CachedWord(Word, Word);
            @output
            #[cfg(any())]
            struct R26LastUsed(Word, Word);
            @output
            #[cfg(any())]
            struct R27KeptContext(Word);

            R8CachedWord(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(8);

            R26LastUsed(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(26);

            R27KeptContext(c0) <-
                Source(input),
                for [c0] in input.rows(27);

            // similar_end#1
            M9(event_0, rank_1, open_1, open_2, open_3) <-
                Source(input),
                for row_1 in input.rows(18),
                let [event_0, open_1, open_2, open_3, rank_1] = row_1,
                (go());

            // not_used_for_long
            R28Evict(fingerprint_0) <-
                Source(input),
                let p9 = input.param(9),
                R26LastUsed(fingerprint_0, used_1),
                for row_3 in input.rows(0),
                let [now_2] = row_3,
                let Some(true) = held(23, evict_23_0(now_2, used_1, p9)),
                (go());

            // crowded_out
            R28Evict(fingerprint_0) <-
                R26LastUsed(fingerprint_0, _),
                !R27KeptContext(fingerprint_0),
                (go());

            // made_stale
            R28Evict(fingerprint_0) <-
                Source(input),
                R26LastUsed(fingerprint_0, _),
                R8CachedWord(fingerprint_0, word_1),
                for row_3 in input.rows(9),
                let [file_2] = row_3,
                (evict_25_0(word_1, file_2).as_bool()),
                (go());

            // most_alike_context
            M30(task_0, fingerprint_1, likeness_2, used_3) <-
                Source(input),
                let p8 = input.param(8),
                for row_2 in input.rows(32),
                let [task_0, fingerprint_1, likeness_2] = row_2,
                (cache_hit_30_0(likeness_2, p8).as_bool()),
                !R28Evict(fingerprint_1),
                R26LastUsed(fingerprint_1, used_3),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r28_evict, m9, m30, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(28, &r28_evict);
            tables.set(42, &m9);
            tables.set(50, &m30);
        }
    }

    mod program_3 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row5 as R17LatestItem,
            Row5 as R18RankedSimilar,
            Row2 as R19SimilarEnd,
            Row4 as R20RankedSender,
            Row4 as M12,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R19SimilarEnd(Word, Word);
            @output
            #[cfg(any())]
            struct R20RankedSender(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M12(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R17LatestItem(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R18RankedSimilar(Word, Word, Word, Word, Word);

            R17LatestItem(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(17);

            R18RankedSimilar(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(18);

            R19SimilarEnd(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(19);

            // similar_end#2
            R19SimilarEnd(event_0, int(0)) <-
                R17LatestItem(event_0, _, _, _, _),
                !R18RankedSimilar(event_0, _, _, _, _),
                (go());

            // ranked_sender#1
            R20RankedSender(event_0, item_1, tokens_2, head_3) <-
                R17LatestItem(event_0, item_1, TEXTS.word(1), rank_4, tokens_2),
                R19SimilarEnd(event_0, end_3),
                let Some(head_3) = tried(11, ranked_sender_11_0(end_3, rank_4)),
                (go());

            // sender_end#1
            M12(event_0, rank_1, open_1, open_2) <-
                R20RankedSender(event_0, open_1, open_2, rank_1),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r19_similar_end, r20_ranked_sender, m12, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(19, &r19_similar_end);
            tables.set(20, &r20_ranked_sender);
            tables.set(43, &m12);
        }
    }

    mod program_4 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row5 as R17LatestItem,
            Row4 as R20RankedSender,
            Row2 as R21SenderEnd,
            Row4 as R22RankedItem,
            Row4 as R23ContextItem,
            Row4 as M19,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R21SenderEnd(Word, Word);
            @output
            #[cfg(any())]
            struct R22RankedItem(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R23ContextItem(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M19(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R17LatestItem(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R20RankedSender(Word, Word, Word, Word);

            R17LatestItem(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(17);

            R20RankedSender(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(20);

            R21SenderEnd(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(21);

            // sender_end#2
            R21SenderEnd(event_0, end_1) <-
                Source(input),
                for row_1 in input.rows(19),
                let [event_0, end_1] = row_1,
                !R20RankedSender(event_0, _, _, _),
                (go());

            // ranked_item#1
            R22RankedItem(event_0, item_1, tokens_2, rank_3) <-
                Source(input),
                for row_1 in input.rows(18),
                let [event_0, item_1, _, tokens_2, rank_3] = row_1,
                (go());

            // ranked_item#2
            R22RankedItem(event_0, item_1, tokens_2, rank_3) <-
                R20RankedSender(event_0, item_1, tokens_2, rank_3),
                (go());

            // ranked_item#3
            R22RankedItem(event_0, item_1, tokens_2, head_3) <-
                R17LatestItem(event_0, item_1, TEXTS.word(2), rank_4, tokens_2),
                R21SenderEnd(event_0, end_3),
                let Some(head_3) = tried(16, ranked_item_16_0(end_3, rank_4)),
                (go());

            // first_item_fits
            R23ContextItem(event_0, item_1, int(1), tokens_2) <-
                Source(input),
                let p6 = input.param(6),
                R22RankedItem(event_0, item_1, tokens_2, int(1)),
                (context_item_17_0(tokens_2, p6).as_bool()),
                (go());

            // next_item_fits
            R23ContextItem(event_0, item_1, rank_2, total_3) <-
                Source(input),
                let p6 = input.param(6),
                R23ContextItem(event_0, _, before_4, so_far_5),
                R22RankedItem(event_0, item_1, tokens_6, rank_2),
                let Some(true) = held(18, context_item_18_0(rank_2, before_4)),
                let Some(total_3) = tried(18, context_item_18_1(so_far_5, tokens_6)),
                (context_item_18_2(total_3, p6).as_bool()),
                (go());

            // best_tokens#1
            M19(event_0, tokens_1, open_1, open_2) <-
                R22RankedItem(event_0, open_1, tokens_1, open_2),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r21_sender_end, r22_ranked_item, r23_context_item, m19, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(21, &r21_sender_end);
            tables.set(22, &r22_ranked_item);
            tables.set(23, &r23_context_item);
            tables.set(44, &m19);
        }
    }

    mod program_5 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row1 as R25Summarise,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R25Summarise(Word);

            // context_too_long
            R25Summarise(event_0) <-
                Source(input),
                let p7 = input.param(7),
                for row_2 in input.rows(24),
                let [event_0, tokens_1] = row_2,
                (summarise_20_0(tokens_1, p7).as_bool()),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r25_summarise,) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(25, &r25_summarise);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input task_word(task: string, word: string).\n",
            "input topic_word(task: string, word: string).\n",
            "input learning_word(learning: string, field: /trigger | /lesson | /applies_to | /fix, word: string).\n",
            "input learning(learning: string, confidence: float, at: time).\n",
            "input candidate(\n    event: string,\n    item: string,\n    kind: /incident | /knowledge | /action | /sender | /recent,\n    similarity: float,\n    tokens: int\n).\n",
            "input candidate_at(event: string, item: string, at: time).\n",
            "input cached(fingerprint: string, used: time).\n",
            "input cached_word(fingerprint: string, word: string).\n",
            "input file_changed(word: string).\n",
            "param recall_count: int = 5.\n",
            "param incident_similarity: float = 0.55.\n",
            "param other_similarity: float = 0.5.\n",
            "param incidents_kept: int = 3.\n",
            "param others_kept: int = 5.\n",
            "param recent_span: duration = 24h.\n",
            "param context_tokens: int = 3000.\n",
            "param summary_tokens: int = 2000.\n",
            "param cache_similarity: float = 0.7.\n",
            "param cache_life: duration = 5m.\n",
            "param cache_size: int = 10.\n",
            "relation field_weight(field: /trigger | /lesson | /applies_to | /fix, weight: int).\n",
            "field_weight(/trigger, 2).\n",
            "field_weight(/lesson, 1).\n",
            "field_weight(/applies_to, 0).\n",
            "field_weight(/fix, 0).\n",
            "relation common_word(\n    task: string,\n    learning: string,\n    field: /trigger | /lesson | /applies_to | /fix,\n    word: string\n).\n",
            "common_word(Task, Learning, Field, Word) :-\n    task_word(Task, Word),\n    learning_word(Learning, Field, Text),\n    learning(learning: Learning),\n    contains(Text, Word).\n",
            "relation relevance(task: string, learning: string, score: int).\n",
            "relevance(Task, Learning, sum(Weight)) :-\n    common_word(Task, Learning, Field, _),\n    field_weight(Field, Weight).\n",
            "relation recalled(task: string, learning: string, rank: int).\n",
            "@id(most_relevant_learnings)\n@because(\"{Learning} says {Score} of {Task}, with confidence {Confidence}: number {Rank}\")\nrecalled(Task, Learning, Rank) :-\n    relevance(Task, Learning, Score),\n    learning(Learning, Confidence, At)\n    limit recall_count per Task by Score desc, Confidence desc, At desc as Rank.\n",
            "relation found_by_similarity(kind: /incident | /knowledge | /action | /sender | /recent).\n",
            "found_by_similarity(/knowledge).\n",
            "found_by_similarity(/action).\n",
            "relation similar_item(\n    event: string,\n    item: string,\n    kind: /incident | /knowledge | /action | /sender | /recent,\n    similarity: float,\n    tokens: int\n).\n",
            "@id(best_incidents)\nsimilar_item(Event, Item, /incident, Similarity, Tokens) :-\n    candidate(Event, Item, /incident, Similarity, Tokens),\n    Similarity >= incident_similarity\n    limit incidents_kept per Event by Similarity desc, Item.\n",
            "@id(best_of_other_kinds)\nsimilar_item(Event, Item, Kind, Similarity, Tokens) :-\n    candidate(Event, Item, Kind, Similarity, Tokens),\n    found_by_similarity(Kind),\n    Similarity >= other_similarity\n    limit others_kept per Event, Kind by Similarity desc, Item.\n",
            "relation happened(event: string, item: string, at: time).\n",
            "happened(Event, Item, max(At)) :- candidate_at(Event, Item, At).\n",
            "relation latest_item(\n    event: string,\n    item: string,\n    kind: /incident | /knowledge | /action | /sender | /recent,\n    rank: int,\n    tokens: int\n).\n",
            "@id(latest_of_sender)\nlatest_item(Event, Item, /sender, Rank, Tokens) :-\n    candidate(event: Event, item: Item, kind: /sender, tokens: Tokens),\n    happened(Event, Item, At)\n    limit others_kept per Event by At desc, Item as Rank.\n",
            "@id(latest_of_all)\nlatest_item(Event, Item, /recent, Rank, Tokens) :-\n    candidate(event: Event, item: Item, kind: /recent, tokens: Tokens),\n    happened(Event, Item, At),\n    now(Now),\n    Now - At < recent_span\n    limit others_kept per Event by At desc, Item as Rank.\n",
            "relation ranked_similar(\n    event: string,\n    item: string,\n    kind: /incident | /knowledge | /action | /sender | /recent,\n    tokens: int,\n    rank: int\n).\n",
            "ranked_similar(Event, Item, Kind, Tokens, Rank) :-\n    similar_item(Event, Item, Kind, Similarity, Tokens)\n    limit 1000000 per Event by Similarity desc, Item as Rank.\n",
            "relation similar_end(event: string, rank: int).\n",
            "similar_end(Event, max(Rank)) :- ranked_similar(Event, _, _, _, Rank).\n",
            "similar_end(Event, 0) :- latest_item(event: Event), !ranked_similar(Event, _, _, _, _).\n",
            "relation ranked_sender(event: string, item: string, tokens: int, rank: int).\n",
            "ranked_sender(Event, Item, Tokens, End + Rank) :-\n    latest_item(Event, Item, /sender, Rank, Tokens),\n    similar_end(Event, End).\n",
            "relation sender_end(event: string, rank: int).\n",
            "sender_end(Event, max(Rank)) :- ranked_sender(Event, _, _, Rank).\n",
            "sender_end(Event, End) :- similar_end(Event, End), !ranked_sender(Event, _, _, _).\n",
            "relation ranked_item(event: string, item: string, tokens: int, rank: int).\n",
            "ranked_item(Event, Item, Tokens, Rank) :- ranked_similar(Event, Item, _, Tokens, Rank).\n",
            "ranked_item(Event, Item, Tokens, Rank) :- ranked_sender(Event, Item, Tokens, Rank).\n",
            "ranked_item(Event, Item, Tokens, End + Rank) :-\n    latest_item(Event, Item, /recent, Rank, Tokens),\n    sender_end(Event, End).\n",
            "relation context_item(event: string, item: string, rank: int, total_tokens: int).\n",
            "@id(first_item_fits)\n@because(\"{Item} is the first of what helps with {Event} and has {Tokens} tokens\")\ncontext_item(Event, Item, 1, Tokens) :-\n    ranked_item(Event, Item, Tokens, 1),\n    Tokens <= context_tokens.\n",
            "@id(next_item_fits)\n@because(\"{Item} is number {Rank} for {Event} and makes {Total} tokens\")\ncontext_item(Event, Item, Rank, Total) :-\n    context_item(Event, _, Before, So_far),\n    Rank = Before + 1,\n    ranked_item(Event, Item, Tokens, Rank),\n    Total = So_far + Tokens,\n    Total <= context_tokens.\n",
            "relation best_tokens(event: string, tokens: int).\n",
            "best_tokens(Event, sum(Tokens)) :- ranked_item(Event, _, Tokens, _).\n",
            "decision summarise(event: string).\n",
            "@id(context_too_long)\n@because(\"what helps with {Event} has {Tokens} tokens, more than {summary_tokens}\")\nsummarise(Event) :- best_tokens(Event, Tokens), Tokens > summary_tokens.\n",
            "relation last_used(fingerprint: string, used: time).\n",
            "last_used(Fingerprint, max(Used)) :- cached(Fingerprint, Used).\n",
            "relation kept_context(fingerprint: string).\n",
            "kept_context(Fingerprint) :-\n    last_used(Fingerprint, Used)\n    limit cache_size by Used desc, Fingerprint.\n",
            "decision evict(fingerprint: string).\n",
            "@id(not_used_for_long)\n@because(\"{Fingerprint} was last used at {Used}, {cache_life} ago or longer\")\nevict(Fingerprint) :- last_used(Fingerprint, Used), now(Now), Now - Used >= cache_life.\n",
            "@id(crowded_out)\n@because(\"{Fingerprint} is none of the {cache_size} used last\")\nevict(Fingerprint) :- last_used(Fingerprint, _), !kept_context(Fingerprint).\n",
            "@id(made_stale)\n@because(\"{Word} of {Fingerprint} contains the name of a changed file, {File}\")\nevict(Fingerprint) :-\n    last_used(Fingerprint, _),\n    cached_word(Fingerprint, Word),\n    file_changed(File),\n    contains(Word, File).\n",
            "relation topic_words(task: string, words: int).\n",
            "topic_words(Task, count(Word)) :- topic_word(Task, Word).\n",
            "relation context_words(fingerprint: string, words: int).\n",
            "context_words(Fingerprint, count(Word)) :- cached_word(Fingerprint, Word).\n",
            "relation shared_words(task: string, fingerprint: string, words: int).\n",
            "shared_words(Task, Fingerprint, count(Word)) :-\n    topic_word(Task, Word),\n    cached_word(Fingerprint, Word).\n",
            "relation word_likeness(task: string, fingerprint: string, likeness: float).\n",
            "word_likeness(Task, Fingerprint, float(Shared) / float(InTask + InContext - Shared)) :-\n    shared_words(Task, Fingerprint, Shared),\n    topic_words(Task, InTask),\n    context_words(Fingerprint, InContext).\n",
            "decision cache_hit(task: string, fingerprint: string).\n",
            "@id(most_alike_context)\n@because(\"the words of {Fingerprint} are {Likeness} like those of {Task}\")\ncache_hit(Task, Fingerprint) :-\n    word_likeness(Task, Fingerprint, Likeness),\n    Likeness > cache_similarity,\n    last_used(Fingerprint, Used),\n    !evict(Fingerprint)\n    limit 1 per Task by Likeness desc, Used desc, Fingerprint.\n",
        ),
    ];
}
