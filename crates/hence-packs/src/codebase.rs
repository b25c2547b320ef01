//! `codebase`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: what a repository looks like, from what the scan of its files saw.

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

/// A source file, its language and its number of lines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct File {
    /// `path`
    pub path: String,
    /// `language`
    pub language: Name,
    /// `lines`
    pub lines: i64,
}

impl Record for File {
    const TABLE: usize = 1;
    const RELATION: &'static str = "file";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("language", &self.language);
        row.put("lines", &self.lines);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), language: columns.take(), lines: columns.take() }
    }
}

/// An import as the file has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImportText {
    /// `path`
    pub path: String,
    /// `target`
    pub target: String,
}

impl Record for ImportText {
    const TABLE: usize = 2;
    const RELATION: &'static str = "import_text";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("target", &self.target);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), target: columns.take() }
    }
}

/// An import that leads to another file of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Imports {
    /// `path`
    pub path: String,
    /// `other`
    pub other: String,
}

impl Record for Imports {
    const TABLE: usize = 3;
    const RELATION: &'static str = "imports";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("other", &self.other);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), other: columns.take() }
    }
}

/// A class in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// `path`
    pub path: String,
    /// `name`
    pub name: String,
}

impl Record for Class {
    const TABLE: usize = 4;
    const RELATION: &'static str = "class";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("name", &self.name);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), name: columns.take() }
    }
}

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function {
    /// `path`
    pub path: String,
    /// `name`
    pub name: String,
}

impl Record for Function {
    const TABLE: usize = 5;
    const RELATION: &'static str = "function";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("name", &self.name);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), name: columns.take() }
    }
}

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Doc {
    /// `path`
    pub path: String,
    /// `text`
    pub text: String,
}

impl Record for Doc {
    const TABLE: usize = 6;
    const RELATION: &'static str = "doc";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), text: columns.take() }
    }
}

/// The first sentence of what a file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Purpose {
    /// `path`
    pub path: String,
    /// `text`
    pub text: String,
}

impl Record for Purpose {
    const TABLE: usize = 7;
    const RELATION: &'static str = "purpose";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), text: columns.take() }
    }
}

/// A call of what the file imports from other files of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntegrationPoint {
    /// `path`
    pub path: String,
    /// `call`
    pub call: String,
}

impl Record for IntegrationPoint {
    const TABLE: usize = 8;
    const RELATION: &'static str = "integration_point";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("call", &self.call);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), call: columns.take() }
    }
}

/// What a folder says of itself; `.` is the root.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DirectoryDoc {
    /// `path`
    pub path: String,
    /// `text`
    pub text: String,
}

impl Record for DirectoryDoc {
    const TABLE: usize = 9;
    const RELATION: &'static str = "directory_doc";

    fn write(&self, row: &mut Row) {
        row.put("path", &self.path);
        row.put("text", &self.text);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { path: columns.take(), text: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// So many files must import a core module.
    pub core_importers: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            core_importers: 2,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("core_importers", &self.core_importers);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A source file, its language and its number of lines.
    pub file: Vec<File>,
    /// An import as the file has it.
    pub import_text: Vec<ImportText>,
    /// An import that leads to another file of the repository.
    pub imports: Vec<Imports>,
    /// A class in a file.
    pub class: Vec<Class>,
    /// A function in a file.
    pub function: Vec<Function>,
    /// What a file says of itself.
    pub doc: Vec<Doc>,
    /// The first sentence of what a file says of itself.
    pub purpose: Vec<Purpose>,
    /// A call of what the file imports from other files of the repository.
    pub integration_point: Vec<IntegrationPoint>,
    /// What a folder says of itself; `.` is the root.
    pub directory_doc: Vec<DirectoryDoc>,
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
        Ok(Decisions { undetermined: decided.undetermined, reports: decided.reports })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.file)?;
        fill(tables, &self.import_text)?;
        fill(tables, &self.imports)?;
        fill(tables, &self.class)?;
        fill(tables, &self.function)?;
        fill(tables, &self.doc)?;
        fill(tables, &self.purpose)?;
        fill(tables, &self.integration_point)?;
        fill(tables, &self.directory_doc)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<File> for Facts {
    fn extend<Many: IntoIterator<Item = File>>(&mut self, facts: Many) {
        self.file.extend(facts);
    }
}

impl Extend<ImportText> for Facts {
    fn extend<Many: IntoIterator<Item = ImportText>>(&mut self, facts: Many) {
        self.import_text.extend(facts);
    }
}

impl Extend<Imports> for Facts {
    fn extend<Many: IntoIterator<Item = Imports>>(&mut self, facts: Many) {
        self.imports.extend(facts);
    }
}

impl Extend<Class> for Facts {
    fn extend<Many: IntoIterator<Item = Class>>(&mut self, facts: Many) {
        self.class.extend(facts);
    }
}

impl Extend<Function> for Facts {
    fn extend<Many: IntoIterator<Item = Function>>(&mut self, facts: Many) {
        self.function.extend(facts);
    }
}

impl Extend<Doc> for Facts {
    fn extend<Many: IntoIterator<Item = Doc>>(&mut self, facts: Many) {
        self.doc.extend(facts);
    }
}

impl Extend<Purpose> for Facts {
    fn extend<Many: IntoIterator<Item = Purpose>>(&mut self, facts: Many) {
        self.purpose.extend(facts);
    }
}

impl Extend<IntegrationPoint> for Facts {
    fn extend<Many: IntoIterator<Item = IntegrationPoint>>(&mut self, facts: Many) {
        self.integration_point.extend(facts);
    }
}

impl Extend<DirectoryDoc> for Facts {
    fn extend<Many: IntoIterator<Item = DirectoryDoc>>(&mut self, facts: Many) {
        self.directory_doc.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
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
        name: "codebase",
        fingerprint: "088806df8dfaa70681b50180e9cbe213",
        relations: &["now", "file", "import_text", "imports", "class", "function", "doc", "purpose", "integration_point", "directory_doc", "depends", "import_cycle", "imported", "test_file", "entry_point", "orphan", "importer_count", "core_module", "folder_of", "directory", "language_lines"],
        params: &["core_importers"],
        rule_ids: &["imports_it", "imports_what_needs_it", "import_cycle#1", "imported#1", "in_a_test_folder", "called_like_a_test", "ends_like_a_test", "called_like_an_entry", "binary_of_a_crate", "needed_by_nothing", "importer_count#1", "imported_by_several", "folder_of#1", "folder_of#2", "directory#1", "language_lines#1"],
        arities: &[1, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 3, 3, 2, 2, 2, 3, 3],
        rules: &[&RULE_2, &RULE_10, &RULE_14, &RULE_15],
        decisions: &[],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        aggregate(tables, 21, &RULE_2, params);
        aggregate(tables, 22, &RULE_10, params);
        aggregate(tables, 23, &RULE_14, params);
        aggregate(tables, 24, &RULE_15, params);
        program_1::run(tables, params);
    }

    fn facts(_: &mut Tables) {}

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/",
        ".",
    ]);

    #[rustfmt::skip]
    static PATTERNS: Patterns = Patterns::new(&[
        "(^|/)(test|tests|__tests__|spec)/",
        "(^|/)test_[^/]*$",
        "((_test|\\.test|\\.spec)\\.[^./]*|(^|/)[^./]*_test)$",
        "(^|/)(main\\.[^/]*|__main__\\.py|index\\.(js|jsx|ts|tsx)|lib\\.rs|build\\.rs)$",
        "(^|/)bin/[^/]+\\.rs$",
        "^(.+)/[^/]+$",
    ]);

    // imported#1
    fn imported_3_0(other_1: Word, path_0: Word) -> Word {
        sure(Op::NotEqual, &[other_1, path_0])
    }

    // in_a_test_folder
    fn test_file_4_0(path_0: Word) -> Word {
        matches(&PATTERNS, 0, path_0)
    }

    // called_like_a_test
    fn test_file_5_0(path_0: Word) -> Word {
        matches(&PATTERNS, 1, path_0)
    }

    // ends_like_a_test
    fn test_file_6_0(path_0: Word) -> Word {
        matches(&PATTERNS, 2, path_0)
    }

    // called_like_an_entry
    fn entry_point_7_0(path_0: Word) -> Word {
        matches(&PATTERNS, 3, path_0)
    }

    // binary_of_a_crate
    fn entry_point_8_0(path_0: Word) -> Word {
        matches(&PATTERNS, 4, path_0)
    }

    // importer_count#1
    fn importer_count_10_0(other_1: Word, path_0: Word) -> Word {
        sure(Op::NotEqual, &[other_1, path_0])
    }

    // imported_by_several
    fn core_module_11_0(importers_1: Word, p0: Word) -> Word {
        sure(Op::GreaterEqual, &[importers_1, p0])
    }

    // folder_of#2
    fn folder_of_13_0(path_0: Word) -> Word {
        sure(Op::Not, &[sure(Op::Contains, &[path_0, TEXTS.word(0)])])
    }

    /// The rule `import_cycle#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_2: Rule = Rule {
        number: 2,
        id: "import_cycle#1",
        head: 11,
        variables: &[("Path", Type::String), ("Other", Type::String)],
        body: &[
            Step::Atom(10, &[Arg::Var(0), Arg::Var(0)]),
            Step::Atom(10, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(10, &[Arg::Var(1), Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/codebase/codebase.dl:47:20", "min(Other)")],
    };

    /// The rule `importer_count#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_10: Rule = Rule {
        number: 10,
        id: "importer_count#1",
        head: 16,
        variables: &[("Path", Type::String), ("Other", Type::String)],
        body: &[
            Step::Atom(3, &[Arg::Var(1), Arg::Var(0)]),
            Step::Test(&[0, 1], |m| Ok(importer_count_10_0(m.var(1), m.var(0)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/codebase/codebase.dl:94:22", "count(Other)")],
    };

    /// The rule `directory#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_14: Rule = Rule {
        number: 14,
        id: "directory#1",
        head: 19,
        variables: &[("Folder", Type::String), ("Path", Type::String), ("Lines", Type::Int)],
        body: &[
            Step::Atom(18, &[Arg::Var(1), Arg::Var(0), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::CountDistinct, &[(Type::String, |m| Ok(m.var(1)))], 0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(m.var(2)))], 1),
        ],
        limit: None,
        places: &[("rules/codebase/codebase.dl:114:19", "count(Path)"), ("rules/codebase/codebase.dl:114:32", "sum(Lines)")],
    };

    /// The rule `language_lines#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_15: Rule = Rule {
        number: 15,
        id: "language_lines#1",
        head: 20,
        variables: &[("Language", Type::Name), ("Lines", Type::Int)],
        body: &[
            Step::Atom(1, &[Arg::Any, Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Sum, &[(Type::Int, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/codebase/codebase.dl:119:26", "sum(Lines)")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R3Imports,
            Row2 as R10Depends,
            Row1 as R12Imported,
            Row1 as R13TestFile,
            Row1 as R14EntryPoint,
            Row1 as R15Orphan,
            Row3 as R18FolderOf,
            Row2 as M2,
            Row2 as M10,
            Row3 as M14,
            Row3 as M15,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R10Depends(Word, Word);
            @output
            #[cfg(any())]
            struct R12Imported(Word);
            @output
            #[cfg(any())]
            struct R13TestFile(Word);
            @output
            #[cfg(any())]
            struct R14EntryPoint(Word);
            @output
            #[cfg(any())]
            struct R15Orphan(Word);
            @output
            #[cfg(any())]
            struct R18FolderOf(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M2(Word, Word);
            @output
            #[cfg(any())]
            struct M10(Word, Word);
            @output
            #[cfg(any())]
            struct M14(Word, Word, Word);
            @output
            #[cfg(any())]
            struct M15(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R3Imports(Word, Word);

            R3Imports(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(3);

            // imports_it
            R10Depends(path_0, other_1) <-
                R3Imports(path_0, other_1),
                (go());

            // imports_what_needs_it
            R10Depends(path_0, other_1) <-
                R10Depends(path_0, middle_2),
                R3Imports(middle_2, other_1),
                (go());

            // import_cycle#1
            M2(path_0, other_1) <-
                R10Depends(path_0, column_0_1),
                (column_0_1 == path_0),
                R10Depends(path_0, other_1),
                R10Depends(other_1, path_0),
                (go());

            // imported#1
            R12Imported(path_0) <-
                R3Imports(other_1, path_0),
                (imported_3_0(other_1, path_0).as_bool()),
                (go());

            // in_a_test_folder
            R13TestFile(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                (test_file_4_0(path_0).as_bool()),
                (go());

            // called_like_a_test
            R13TestFile(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                (test_file_5_0(path_0).as_bool()),
                (go());

            // ends_like_a_test
            R13TestFile(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                (test_file_6_0(path_0).as_bool()),
                (go());

            // called_like_an_entry
            R14EntryPoint(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                (entry_point_7_0(path_0).as_bool()),
                (go());

            // binary_of_a_crate
            R14EntryPoint(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                (entry_point_8_0(path_0).as_bool()),
                (go());

            // needed_by_nothing
            R15Orphan(path_0) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, _] = row_1,
                !R12Imported(path_0),
                !R13TestFile(path_0),
                !R14EntryPoint(path_0),
                (go());

            // importer_count#1
            M10(path_0, other_1) <-
                R3Imports(other_1, path_0),
                (importer_count_10_0(other_1, path_0).as_bool()),
                (go());

            // folder_of#1
            R18FolderOf(path_0, folder_1, lines_2) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, lines_2] = row_1,
                for element_1 in each(captures(&PATTERNS, 5, 1), &[path_0]),
                let folder_1 = element_1,
                (go());

            // folder_of#2
            R18FolderOf(path_0, TEXTS.word(1), lines_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [path_0, _, lines_1] = row_1,
                (folder_of_13_0(path_0).as_bool()),
                (go());

            // directory#1
            M14(folder_0, path_1, lines_2) <-
                R18FolderOf(path_1, folder_0, lines_2),
                (go());

            // language_lines#1
            M15(language_0, lines_1, open_1) <-
                Source(input),
                for row_1 in input.rows(1),
                let [open_1, language_0, lines_1] = row_1,
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r10_depends, r12_imported, r13_test_file, r14_entry_point, r15_orphan, r18_folder_of, m2, m10, m14, m15, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(10, &r10_depends);
            tables.set(12, &r12_imported);
            tables.set(13, &r13_test_file);
            tables.set(14, &r14_entry_point);
            tables.set(15, &r15_orphan);
            tables.set(18, &r18_folder_of);
            tables.set(21, &m2);
            tables.set(22, &m10);
            tables.set(23, &m14);
            tables.set(24, &m15);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R17CoreModule,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R17CoreModule(Word, Word);

            // imported_by_several
            R17CoreModule(path_0, importers_1) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(16),
                let [path_0, importers_1] = row_2,
                (core_module_11_0(importers_1, p0).as_bool()),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r17_core_module,) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(17, &r17_core_module);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "input file(path: string, language: name, lines: int).\n",
            "input import_text(path: string, target: string).\n",
            "input imports(path: string, other: string).\n",
            "input class(path: string, name: string).\n",
            "input function(path: string, name: string).\n",
            "input doc(path: string, text: string).\n",
            "input purpose(path: string, text: string).\n",
            "input integration_point(path: string, call: string).\n",
            "input directory_doc(path: string, text: string).\n",
            "param core_importers: int = 2.\n",
            "relation depends(path: string, other: string).\n",
            "@id(imports_it)\n@because(\"{Path} imports {Other}\")\ndepends(Path, Other) :- imports(Path, Other).\n",
            "@id(imports_what_needs_it)\n@because(\"{Path} needs {Middle}, which imports {Other}\")\ndepends(Path, Other) :- depends(Path, Middle), imports(Middle, Other).\n",
            "relation import_cycle(path: string, leader: string).\n",
            "import_cycle(Path, min(Other)) :- depends(Path, Path), depends(Path, Other), depends(Other, Path).\n",
            "relation imported(path: string).\n",
            "imported(Path) :- imports(Other, Path), Other != Path.\n",
            "relation test_file(path: string).\n",
            "@id(in_a_test_folder)\n@because(\"{Path} is in a folder of tests\")\ntest_file(Path) :- file(path: Path), matches(Path, r\"(^|/)(test|tests|__tests__|spec)/\").\n",
            "@id(called_like_a_test)\n@because(\"{Path} begins with test_\")\ntest_file(Path) :- file(path: Path), matches(Path, r\"(^|/)test_[^/]*$\").\n",
            "@id(ends_like_a_test)\n@because(\"{Path} ends like a test\")\ntest_file(Path) :-\n    file(path: Path),\n    matches(Path, r\"((_test|\\.test|\\.spec)\\.[^./]*|(^|/)[^./]*_test)$\").\n",
            "relation entry_point(path: string).\n",
            "@id(called_like_an_entry)\n@because(\"{Path} is called like the begin of a program\")\nentry_point(Path) :-\n    file(path: Path),\n    matches(Path, r\"(^|/)(main\\.[^/]*|__main__\\.py|index\\.(js|jsx|ts|tsx)|lib\\.rs|build\\.rs)$\").\n",
            "@id(binary_of_a_crate)\n@because(\"{Path} is a program of its crate\")\nentry_point(Path) :- file(path: Path), matches(Path, r\"(^|/)bin/[^/]+\\.rs$\").\n",
            "relation orphan(path: string).\n",
            "@id(needed_by_nothing)\n@because(\"no other file imports {Path}, and it is neither a test nor an entry point\")\norphan(Path) :- file(path: Path), !imported(Path), !test_file(Path), !entry_point(Path).\n",
            "relation importer_count(path: string, importers: int).\n",
            "importer_count(Path, count(Other)) :- imports(Other, Path), Other != Path.\n",
            "relation core_module(path: string, importers: int).\n",
            "@id(imported_by_several)\n@because(\"{Importers} files import {Path}\")\ncore_module(Path, Importers) :- importer_count(Path, Importers), Importers >= core_importers.\n",
            "relation folder_of(path: string, folder: string, lines: int).\n",
            "folder_of(Path, Folder, Lines) :-\n    file(path: Path, lines: Lines),\n    Folder in captures(Path, r\"^(.+)/[^/]+$\", 1).\n",
            "folder_of(Path, \".\", Lines) :- file(path: Path, lines: Lines), !contains(Path, \"/\").\n",
            "relation directory(path: string, files: int, lines: int).\n",
            "directory(Folder, count(Path), sum(Lines)) :- folder_of(Path, Folder, Lines).\n",
            "relation language_lines(language: name, lines: int).\n",
            "language_lines(Language, sum(Lines)) :- file(_, Language, Lines).\n",
        ),
    ];
}
