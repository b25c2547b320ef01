//! `errors`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: what kind of failure an error text shows, and what to do about it.

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

/// An error text, and its length in characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Error {
    /// `error`
    pub error: String,
    /// `length`
    pub length: i64,
}

impl Record for Error {
    const TABLE: usize = 2;
    const RELATION: &'static str = "error";

    fn write(&self, row: &mut Row) {
        row.put("error", &self.error);
        row.put("length", &self.length);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { error: columns.take(), length: columns.take() }
    }
}

/// A pattern that the error text matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorSignal {
    /// `error`
    pub error: String,
    /// `signal`
    pub signal: Name,
}

impl Record for ErrorSignal {
    const TABLE: usize = 3;
    const RELATION: &'static str = "error_signal";

    fn write(&self, row: &mut Row) {
        row.put("error", &self.error);
        row.put("signal", &self.signal);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { error: columns.take(), signal: columns.take() }
    }
}

/// The type `error_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// `/permission`
    Permission,
    /// `/dependency`
    Dependency,
    /// `/syntax`
    Syntax,
    /// `/logic`
    Logic,
    /// `/architecture`
    Architecture,
    /// `/unknown`
    Unknown,
}

impl ErrorKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permission => "/permission",
            Self::Dependency => "/dependency",
            Self::Syntax => "/syntax",
            Self::Logic => "/logic",
            Self::Architecture => "/architecture",
            Self::Unknown => "/unknown",
        }
    }
}

impl Column for ErrorKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/permission" => Self::Permission,
            "/dependency" => Self::Dependency,
            "/syntax" => Self::Syntax,
            "/logic" => Self::Logic,
            "/architecture" => Self::Architecture,
            "/unknown" => Self::Unknown,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What column `action` of `handle_error` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandleErrorAction {
    /// `/fix_in_place`
    FixInPlace,
    /// `/replan_step`
    ReplanStep,
    /// `/replan_all`
    ReplanAll,
    /// `/escalate`
    Escalate,
}

impl HandleErrorAction {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FixInPlace => "/fix_in_place",
            Self::ReplanStep => "/replan_step",
            Self::ReplanAll => "/replan_all",
            Self::Escalate => "/escalate",
        }
    }
}

impl Column for HandleErrorAction {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/fix_in_place" => Self::FixInPlace,
            "/replan_step" => Self::ReplanStep,
            "/replan_all" => Self::ReplanAll,
            "/escalate" => Self::Escalate,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What to do about an error: `recoverable` says whether the agent can go on by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandleError {
    /// `error`
    pub error: String,
    /// `category`
    pub category: ErrorKind,
    /// `action`
    pub action: HandleErrorAction,
    /// `recoverable`
    pub recoverable: bool,
    /// `retry_from`
    pub retry_from: i64,
}

impl Record for HandleError {
    const TABLE: usize = 8;
    const RELATION: &'static str = "handle_error";

    fn write(&self, row: &mut Row) {
        row.put("error", &self.error);
        row.put("category", &self.category);
        row.put("action", &self.action);
        row.put("recoverable", &self.recoverable);
        row.put("retry_from", &self.retry_from);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            error: columns.take(),
            category: columns.take(),
            action: columns.take(),
            recoverable: columns.take(),
            retry_from: columns.take(),
        }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// A text longer than this speaks of a fault of the whole approach.
    pub long_error: i64,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            long_error: 2000,
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("long_error", &self.long_error);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// An error text, and its length in characters.
    pub error: Vec<Error>,
    /// A pattern that the error text matches.
    pub error_signal: Vec<ErrorSignal>,
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
            handle_error: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.error)?;
        fill(tables, &self.error_signal)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<Error> for Facts {
    fn extend<Many: IntoIterator<Item = Error>>(&mut self, facts: Many) {
        self.error.extend(facts);
    }
}

impl Extend<ErrorSignal> for Facts {
    fn extend<Many: IntoIterator<Item = ErrorSignal>>(&mut self, facts: Many) {
        self.error_signal.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// What to do about an error: `recoverable` says whether the agent can go on by itself.
    pub handle_error: Vec<HandleError>,
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
        name: "errors",
        fingerprint: "aeab3bc80583fd6436d2c58393bedb15",
        relations: &["now", "signal_category", "error", "error_signal", "kind_order", "error_response", "error_shows", "error_category", "handle_error"],
        params: &["long_error"],
        rule_ids: &["one_signal", "missing_property", "expected_and_received", "very_long_text", "nothing_known", "first_kind_in_order", "respond_to_kind"],
        arities: &[1, 2, 2, 2, 2, 4, 2, 2, 5, 3],
        rules: &[&RULE_5],
        decisions: &["handle_error"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 9, &RULE_5, params);
        program_1::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(1, &FACTS_1);
        tables.facts(4, &FACTS_4);
        tables.facts(5, &FACTS_5);
    }

    /// The facts of `signal_category`.
    #[rustfmt::skip]
    static FACTS_1: [[Cell; 2]; 196] = [
        [Cell::T("/protected"), Cell::T("/permission")],
        [Cell::T("/access_denied"), Cell::T("/permission")],
        [Cell::T("/cannot_modify"), Cell::T("/permission")],
        [Cell::T("/trust_level"), Cell::T("/permission")],
        [Cell::T("/eacces"), Cell::T("/permission")],
        [Cell::T("/eperm"), Cell::T("/permission")],
        [Cell::T("/permission_denied"), Cell::T("/permission")],
        [Cell::T("/operation_not_permitted"), Cell::T("/permission")],
        [Cell::T("/access_refused"), Cell::T("/permission")],
        [Cell::T("/read_only_file_system"), Cell::T("/permission")],
        [Cell::T("/needs_superuser"), Cell::T("/permission")],
        [Cell::T("/not_owner"), Cell::T("/permission")],
        [Cell::T("/insufficient_privileges"), Cell::T("/permission")],
        [Cell::T("/http_unauthorized"), Cell::T("/permission")],
        [Cell::T("/http_forbidden"), Cell::T("/permission")],
        [Cell::T("/http_refused"), Cell::T("/permission")],
        [Cell::T("/npm_refused"), Cell::T("/permission")],
        [Cell::T("/unauthorized"), Cell::T("/permission")],
        [Cell::T("/authentication_failed"), Cell::T("/permission")],
        [Cell::T("/git_refused"), Cell::T("/permission")],
        [Cell::T("/image_refused"), Cell::T("/permission")],
        [Cell::T("/cannot_find_module"), Cell::T("/dependency")],
        [Cell::T("/module_not_found"), Cell::T("/dependency")],
        [Cell::T("/connection_refused"), Cell::T("/dependency")],
        [Cell::T("/timed_out"), Cell::T("/dependency")],
        [Cell::T("/npm_error"), Cell::T("/dependency")],
        [Cell::T("/node_package_missing"), Cell::T("/dependency")],
        [Cell::T("/npm_failed"), Cell::T("/dependency")],
        [Cell::T("/npm_conflict"), Cell::T("/dependency")],
        [Cell::T("/yarn_failed"), Cell::T("/dependency")],
        [Cell::T("/pnpm_failed"), Cell::T("/dependency")],
        [Cell::T("/bundler_unresolved"), Cell::T("/dependency")],
        [Cell::T("/node_version"), Cell::T("/dependency")],
        [Cell::T("/python_module_missing"), Cell::T("/dependency")],
        [Cell::T("/python_import_error"), Cell::T("/dependency")],
        [Cell::T("/pip_not_found"), Cell::T("/dependency")],
        [Cell::T("/pip_conflict"), Cell::T("/dependency")],
        [Cell::T("/pip_build_failed"), Cell::T("/dependency")],
        [Cell::T("/cargo_package_missing"), Cell::T("/dependency")],
        [Cell::T("/cargo_fetch"), Cell::T("/dependency")],
        [Cell::T("/cargo_version"), Cell::T("/dependency")],
        [Cell::T("/crate_missing"), Cell::T("/dependency")],
        [Cell::T("/cargo_tool_missing"), Cell::T("/dependency")],
        [Cell::T("/linker_missing"), Cell::T("/dependency")],
        [Cell::T("/build_script_failed"), Cell::T("/dependency")],
        [Cell::T("/go_module_missing"), Cell::T("/dependency")],
        [Cell::T("/go_module_version"), Cell::T("/dependency")],
        [Cell::T("/go_build_constraints"), Cell::T("/dependency")],
        [Cell::T("/jvm_class_missing"), Cell::T("/dependency")],
        [Cell::T("/jvm_class_version"), Cell::T("/dependency")],
        [Cell::T("/jdk_version"), Cell::T("/dependency")],
        [Cell::T("/jdk_missing"), Cell::T("/dependency")],
        [Cell::T("/java_package_missing"), Cell::T("/dependency")],
        [Cell::T("/maven_unresolved"), Cell::T("/dependency")],
        [Cell::T("/gradle_unresolved"), Cell::T("/dependency")],
        [Cell::T("/sbt_unresolved"), Cell::T("/dependency")],
        [Cell::T("/c_header_missing"), Cell::T("/dependency")],
        [Cell::T("/c_library_missing"), Cell::T("/dependency")],
        [Cell::T("/shared_library_missing"), Cell::T("/dependency")],
        [Cell::T("/cmake_package_missing"), Cell::T("/dependency")],
        [Cell::T("/pkg_config_missing"), Cell::T("/dependency")],
        [Cell::T("/configure_missing"), Cell::T("/dependency")],
        [Cell::T("/system_package_missing"), Cell::T("/dependency")],
        [Cell::T("/ruby_gem_missing"), Cell::T("/dependency")],
        [Cell::T("/nuget_missing"), Cell::T("/dependency")],
        [Cell::T("/composer_conflict"), Cell::T("/dependency")],
        [Cell::T("/image_missing"), Cell::T("/dependency")],
        [Cell::T("/command_not_found"), Cell::T("/dependency")],
        [Cell::T("/interpreter_missing"), Cell::T("/dependency")],
        [Cell::T("/program_not_spawned"), Cell::T("/dependency")],
        [Cell::T("/program_of_other_machine"), Cell::T("/dependency")],
        [Cell::T("/net_refused"), Cell::T("/dependency")],
        [Cell::T("/net_timeout"), Cell::T("/dependency")],
        [Cell::T("/net_reset"), Cell::T("/dependency")],
        [Cell::T("/net_unreachable"), Cell::T("/dependency")],
        [Cell::T("/net_failed"), Cell::T("/dependency")],
        [Cell::T("/http_unavailable"), Cell::T("/dependency")],
        [Cell::T("/dns"), Cell::T("/dependency")],
        [Cell::T("/tls_certificate"), Cell::T("/dependency")],
        [Cell::T("/tls_failed"), Cell::T("/dependency")],
        [Cell::T("/ts_error"), Cell::T("/syntax")],
        [Cell::T("/syntax_error"), Cell::T("/syntax")],
        [Cell::T("/unexpected_token"), Cell::T("/syntax")],
        [Cell::T("/cannot_find_name"), Cell::T("/syntax")],
        [Cell::T("/not_assignable"), Cell::T("/syntax")],
        [Cell::T("/ts_message"), Cell::T("/syntax")],
        [Cell::T("/js_reference_error"), Cell::T("/syntax")],
        [Cell::T("/js_parse"), Cell::T("/syntax")],
        [Cell::T("/python_indentation"), Cell::T("/syntax")],
        [Cell::T("/python_name_error"), Cell::T("/syntax")],
        [Cell::T("/python_attribute_error"), Cell::T("/syntax")],
        [Cell::T("/python_type_check"), Cell::T("/syntax")],
        [Cell::T("/pytest_fixture"), Cell::T("/syntax")],
        [Cell::T("/rustc_error"), Cell::T("/syntax")],
        [Cell::T("/rustc_parse"), Cell::T("/syntax")],
        [Cell::T("/rustc_name"), Cell::T("/syntax")],
        [Cell::T("/rustc_type"), Cell::T("/syntax")],
        [Cell::T("/rustc_borrow"), Cell::T("/syntax")],
        [Cell::T("/rustc_could_not_compile"), Cell::T("/syntax")],
        [Cell::T("/go_compile"), Cell::T("/syntax")],
        [Cell::T("/go_undefined"), Cell::T("/syntax")],
        [Cell::T("/go_message"), Cell::T("/syntax")],
        [Cell::T("/javac_error"), Cell::T("/syntax")],
        [Cell::T("/javac_message"), Cell::T("/syntax")],
        [Cell::T("/jvm_compilation_failed"), Cell::T("/syntax")],
        [Cell::T("/kotlin_error"), Cell::T("/syntax")],
        [Cell::T("/scala_error"), Cell::T("/syntax")],
        [Cell::T("/gradle_script"), Cell::T("/syntax")],
        [Cell::T("/maven_pom"), Cell::T("/syntax")],
        [Cell::T("/c_error"), Cell::T("/syntax")],
        [Cell::T("/c_message"), Cell::T("/syntax")],
        [Cell::T("/linker_undefined"), Cell::T("/syntax")],
        [Cell::T("/linker_failed"), Cell::T("/syntax")],
        [Cell::T("/makefile"), Cell::T("/syntax")],
        [Cell::T("/parse_error"), Cell::T("/syntax")],
        [Cell::T("/json_parse"), Cell::T("/syntax")],
        [Cell::T("/yaml_parse"), Cell::T("/syntax")],
        [Cell::T("/toml_parse"), Cell::T("/syntax")],
        [Cell::T("/xml_parse"), Cell::T("/syntax")],
        [Cell::T("/dotnet_compile"), Cell::T("/syntax")],
        [Cell::T("/swift_error"), Cell::T("/syntax")],
        [Cell::T("/assertion_error"), Cell::T("/logic")],
        [Cell::T("/to_be"), Cell::T("/logic")],
        [Cell::T("/to_equal"), Cell::T("/logic")],
        [Cell::T("/not_to_throw"), Cell::T("/logic")],
        [Cell::T("/jest_matcher"), Cell::T("/logic")],
        [Cell::T("/jest_expected_received"), Cell::T("/logic")],
        [Cell::T("/js_tests_failed"), Cell::T("/logic")],
        [Cell::T("/snapshot_differs"), Cell::T("/logic")],
        [Cell::T("/type_error"), Cell::T("/logic")],
        [Cell::T("/js_null"), Cell::T("/logic")],
        [Cell::T("/js_not_callable"), Cell::T("/logic")],
        [Cell::T("/js_range_error"), Cell::T("/logic")],
        [Cell::T("/python_index_error"), Cell::T("/logic")],
        [Cell::T("/python_key_error"), Cell::T("/logic")],
        [Cell::T("/python_value_error"), Cell::T("/logic")],
        [Cell::T("/python_zero_division"), Cell::T("/logic")],
        [Cell::T("/python_arithmetic"), Cell::T("/logic")],
        [Cell::T("/python_not_implemented"), Cell::T("/logic")],
        [Cell::T("/python_unicode"), Cell::T("/logic")],
        [Cell::T("/python_iteration"), Cell::T("/logic")],
        [Cell::T("/pytest_assert"), Cell::T("/logic")],
        [Cell::T("/pytest_failed"), Cell::T("/logic")],
        [Cell::T("/unittest_failed"), Cell::T("/logic")],
        [Cell::T("/rust_assertion"), Cell::T("/logic")],
        [Cell::T("/rust_panic"), Cell::T("/logic")],
        [Cell::T("/rust_unwrap"), Cell::T("/logic")],
        [Cell::T("/rust_index"), Cell::T("/logic")],
        [Cell::T("/rust_overflow"), Cell::T("/logic")],
        [Cell::T("/rust_test_failed"), Cell::T("/logic")],
        [Cell::T("/go_panic"), Cell::T("/logic")],
        [Cell::T("/go_nil"), Cell::T("/logic")],
        [Cell::T("/go_index"), Cell::T("/logic")],
        [Cell::T("/go_channel"), Cell::T("/logic")],
        [Cell::T("/go_race"), Cell::T("/logic")],
        [Cell::T("/go_conversion"), Cell::T("/logic")],
        [Cell::T("/go_test_failed"), Cell::T("/logic")],
        [Cell::T("/jvm_null_pointer"), Cell::T("/logic")],
        [Cell::T("/jvm_index"), Cell::T("/logic")],
        [Cell::T("/jvm_arithmetic"), Cell::T("/logic")],
        [Cell::T("/jvm_class_cast"), Cell::T("/logic")],
        [Cell::T("/jvm_number_format"), Cell::T("/logic")],
        [Cell::T("/jvm_illegal_argument"), Cell::T("/logic")],
        [Cell::T("/jvm_illegal_state"), Cell::T("/logic")],
        [Cell::T("/jvm_collection"), Cell::T("/logic")],
        [Cell::T("/jvm_unsupported"), Cell::T("/logic")],
        [Cell::T("/junit_failed"), Cell::T("/logic")],
        [Cell::T("/c_segfault"), Cell::T("/logic")],
        [Cell::T("/c_arithmetic"), Cell::T("/logic")],
        [Cell::T("/c_bus_error"), Cell::T("/logic")],
        [Cell::T("/c_sanitizer"), Cell::T("/logic")],
        [Cell::T("/c_heap"), Cell::T("/logic")],
        [Cell::T("/c_assert"), Cell::T("/logic")],
        [Cell::T("/cpp_exception"), Cell::T("/logic")],
        [Cell::T("/gtest_failed"), Cell::T("/logic")],
        [Cell::T("/ctest_failed"), Cell::T("/logic")],
        [Cell::T("/division_by_zero"), Cell::T("/logic")],
        [Cell::T("/index_out_of_range"), Cell::T("/logic")],
        [Cell::T("/null_dereference"), Cell::T("/logic")],
        [Cell::T("/tests_failed"), Cell::T("/logic")],
        [Cell::T("/circular_dependency"), Cell::T("/architecture")],
        [Cell::T("/stack_overflow"), Cell::T("/architecture")],
        [Cell::T("/maximum_call_stack"), Cell::T("/architecture")],
        [Cell::T("/circular_reference"), Cell::T("/architecture")],
        [Cell::T("/cyclic_reference"), Cell::T("/architecture")],
        [Cell::T("/dependency_cycle"), Cell::T("/architecture")],
        [Cell::T("/spring_bean_cycle"), Cell::T("/architecture")],
        [Cell::T("/go_import_cycle"), Cell::T("/architecture")],
        [Cell::T("/rustc_cycle"), Cell::T("/architecture")],
        [Cell::T("/recursive_type"), Cell::T("/architecture")],
        [Cell::T("/initialization_cycle"), Cell::T("/architecture")],
        [Cell::T("/python_recursion"), Cell::T("/architecture")],
        [Cell::T("/jvm_stack_overflow"), Cell::T("/architecture")],
        [Cell::T("/rust_stack_overflow"), Cell::T("/architecture")],
        [Cell::T("/go_stack_overflow"), Cell::T("/architecture")],
        [Cell::T("/stack_exhausted"), Cell::T("/architecture")],
    ];

    /// The facts of `kind_order`.
    #[rustfmt::skip]
    static FACTS_4: [[Cell; 2]; 6] = [
        [Cell::T("/permission"), Cell::I(1)],
        [Cell::T("/dependency"), Cell::I(2)],
        [Cell::T("/syntax"), Cell::I(3)],
        [Cell::T("/logic"), Cell::I(4)],
        [Cell::T("/architecture"), Cell::I(5)],
        [Cell::T("/unknown"), Cell::I(6)],
    ];

    /// The facts of `error_response`.
    #[rustfmt::skip]
    static FACTS_5: [[Cell; 4]; 6] = [
        [Cell::T("/permission"), Cell::T("/escalate"), Cell::B(false), Cell::I(-2)],
        [Cell::T("/dependency"), Cell::T("/escalate"), Cell::B(false), Cell::I(-2)],
        [Cell::T("/syntax"), Cell::T("/fix_in_place"), Cell::B(true), Cell::I(-1)],
        [Cell::T("/logic"), Cell::T("/replan_step"), Cell::B(true), Cell::I(-1)],
        [Cell::T("/architecture"), Cell::T("/replan_all"), Cell::B(true), Cell::I(0)],
        [Cell::T("/unknown"), Cell::T("/escalate"), Cell::B(false), Cell::I(-2)],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/property",
        "/does_not_exist",
        "/syntax",
        "/expected",
        "/received",
        "/logic",
        "/architecture",
        "/unknown",
    ]);

    // very_long_text
    fn error_shows_3_0(length_1: Word, p0: Word) -> Word {
        sure(Op::Greater, &[length_1, p0])
    }

    /// The rule `first_kind_in_order`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_5: Rule = Rule {
        number: 5,
        id: "first_kind_in_order",
        head: 7,
        variables: &[("Error", Type::String), ("Category", Type::Name), ("Place", Type::Int)],
        body: &[
            Step::Atom(6, &[Arg::Var(0), Arg::Var(1)]),
            Step::Atom(4, &[Arg::Var(1), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(2)), Type::Int, false)],
            rank: None,
            types: &[Type::String, Type::Name],
        }),
        places: &[],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row2 as R1SignalCategory,
            Row2 as R3ErrorSignal,
            Row2 as R4KindOrder,
            Row2 as R6ErrorShows,
            Row3 as M5,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R6ErrorShows(Word, Word);
            @output
            #[cfg(any())]
            struct M5(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1SignalCategory(Word, Word);
            @output
            #[cfg(any())]
            struct R3ErrorSignal(Word, Word);
            @output
            #[cfg(any())]
            struct R4KindOrder(Word, Word);

            R1SignalCategory(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(1);

            R3ErrorSignal(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(3);

            R4KindOrder(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(4);

            // one_signal
            R6ErrorShows(error_0, category_1) <-
                Source(input),
                for row_1 in input.rows(2),
                let [error_0, _] = row_1,
                R3ErrorSignal(error_0, signal_2),
                R1SignalCategory(signal_2, category_1),
                (go());

            // missing_property
            R6ErrorShows(error_0, TEXTS.word(2)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [error_0, _] = row_1,
                R3ErrorSignal(error_0, TEXTS.word(0)),
                R3ErrorSignal(error_0, TEXTS.word(1)),
                (go());

            // expected_and_received
            R6ErrorShows(error_0, TEXTS.word(5)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [error_0, _] = row_1,
                R3ErrorSignal(error_0, TEXTS.word(3)),
                R3ErrorSignal(error_0, TEXTS.word(4)),
                (go());

            // very_long_text
            R6ErrorShows(error_0, TEXTS.word(6)) <-
                Source(input),
                let p0 = input.param(0),
                for row_2 in input.rows(2),
                let [error_0, length_1] = row_2,
                (error_shows_3_0(length_1, p0).as_bool()),
                (go());

            // nothing_known
            R6ErrorShows(error_0, TEXTS.word(7)) <-
                Source(input),
                for row_1 in input.rows(2),
                let [error_0, _] = row_1,
                (go());

            // first_kind_in_order
            M5(error_0, category_1, place_2) <-
                R6ErrorShows(error_0, category_1),
                R4KindOrder(category_1, place_2),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r6_error_shows, m5, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(6, &r6_error_shows);
            tables.set(9, &m5);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row4 as R5ErrorResponse,
            Row5 as R8HandleError,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R8HandleError(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5ErrorResponse(Word, Word, Word, Word);

            R5ErrorResponse(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(5);

            // respond_to_kind
            R8HandleError(error_0, category_1, action_2, recoverable_3, retry_from_4) <-
                Source(input),
                for row_1 in input.rows(7),
                let [error_0, category_1] = row_1,
                R5ErrorResponse(category_1, action_2, recoverable_3, retry_from_4),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r8_handle_error, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(8, &r8_handle_error);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 2] = [
        concat!(
            "type error_kind = /permission | /dependency | /syntax | /logic | /architecture | /unknown.\n",
            "relation signal_category(signal: name, category: error_kind).\n",
            "signal_category(/protected, /permission).\n",
            "signal_category(/access_denied, /permission).\n",
            "signal_category(/cannot_modify, /permission).\n",
            "signal_category(/trust_level, /permission).\n",
            "signal_category(/eacces, /permission).\n",
            "signal_category(/eperm, /permission).\n",
            "signal_category(/permission_denied, /permission).\n",
            "signal_category(/operation_not_permitted, /permission).\n",
            "signal_category(/access_refused, /permission).\n",
            "signal_category(/read_only_file_system, /permission).\n",
            "signal_category(/needs_superuser, /permission).\n",
            "signal_category(/not_owner, /permission).\n",
            "signal_category(/insufficient_privileges, /permission).\n",
            "signal_category(/http_unauthorized, /permission).\n",
            "signal_category(/http_forbidden, /permission).\n",
            "signal_category(/http_refused, /permission).\n",
            "signal_category(/npm_refused, /permission).\n",
            "signal_category(/unauthorized, /permission).\n",
            "signal_category(/authentication_failed, /permission).\n",
            "signal_category(/git_refused, /permission).\n",
            "signal_category(/image_refused, /permission).\n",
            "signal_category(/cannot_find_module, /dependency).\n",
            "signal_category(/module_not_found, /dependency).\n",
            "signal_category(/connection_refused, /dependency).\n",
            "signal_category(/timed_out, /dependency).\n",
            "signal_category(/npm_error, /dependency).\n",
            "signal_category(/node_package_missing, /dependency).\n",
            "signal_category(/npm_failed, /dependency).\n",
            "signal_category(/npm_conflict, /dependency).\n",
            "signal_category(/yarn_failed, /dependency).\n",
            "signal_category(/pnpm_failed, /dependency).\n",
            "signal_category(/bundler_unresolved, /dependency).\n",
            "signal_category(/node_version, /dependency).\n",
            "signal_category(/python_module_missing, /dependency).\n",
            "signal_category(/python_import_error, /dependency).\n",
            "signal_category(/pip_not_found, /dependency).\n",
            "signal_category(/pip_conflict, /dependency).\n",
            "signal_category(/pip_build_failed, /dependency).\n",
            "signal_category(/cargo_package_missing, /dependency).\n",
            "signal_category(/cargo_fetch, /dependency).\n",
            "signal_category(/cargo_version, /dependency).\n",
            "signal_category(/crate_missing, /dependency).\n",
            "signal_category(/cargo_tool_missing, /dependency).\n",
            "signal_category(/linker_missing, /dependency).\n",
            "signal_category(/build_script_failed, /dependency).\n",
            "signal_category(/go_module_missing, /dependency).\n",
            "signal_category(/go_module_version, /dependency).\n",
            "signal_category(/go_build_constraints, /dependency).\n",
            "signal_category(/jvm_class_missing, /dependency).\n",
            "signal_category(/jvm_class_version, /dependency).\n",
            "signal_category(/jdk_version, /dependency).\n",
            "signal_category(/jdk_missing, /dependency).\n",
            "signal_category(/java_package_missing, /dependency).\n",
            "signal_category(/maven_unresolved, /dependency).\n",
            "signal_category(/gradle_unresolved, /dependency).\n",
            "signal_category(/sbt_unresolved, /dependency).\n",
            "signal_category(/c_header_missing, /dependency).\n",
            "signal_category(/c_library_missing, /dependency).\n",
            "signal_category(/shared_library_missing, /dependency).\n",
            "signal_category(/cmake_package_missing, /dependency).\n",
            "signal_category(/pkg_config_missing, /dependency).\n",
            "signal_category(/configure_missing, /dependency).\n",
            "signal_category(/system_package_missing, /dependency).\n",
            "signal_category(/ruby_gem_missing, /dependency).\n",
            "signal_category(/nuget_missing, /dependency).\n",
            "signal_category(/composer_conflict, /dependency).\n",
            "signal_category(/image_missing, /dependency).\n",
            "signal_category(/command_not_found, /dependency).\n",
            "signal_category(/interpreter_missing, /dependency).\n",
            "signal_category(/program_not_spawned, /dependency).\n",
            "signal_category(/program_of_other_machine, /dependency).\n",
            "signal_category(/net_refused, /dependency).\n",
            "signal_category(/net_timeout, /dependency).\n",
            "signal_category(/net_reset, /dependency).\n",
            "signal_category(/net_unreachable, /dependency).\n",
            "signal_category(/net_failed, /dependency).\n",
            "signal_category(/http_unavailable, /dependency).\n",
            "signal_category(/dns, /dependency).\n",
            "signal_category(/tls_certificate, /dependency).\n",
            "signal_category(/tls_failed, /dependency).\n",
            "signal_category(/ts_error, /syntax).\n",
            "signal_category(/syntax_error, /syntax).\n",
            "signal_category(/unexpected_token, /syntax).\n",
            "signal_category(/cannot_find_name, /syntax).\n",
            "signal_category(/not_assignable, /syntax).\n",
            "signal_category(/ts_message, /syntax).\n",
            "signal_category(/js_reference_error, /syntax).\n",
            "signal_category(/js_parse, /syntax).\n",
            "signal_category(/python_indentation, /syntax).\n",
            "signal_category(/python_name_error, /syntax).\n",
            "signal_category(/python_attribute_error, /syntax).\n",
            "signal_category(/python_type_check, /syntax).\n",
            "signal_category(/pytest_fixture, /syntax).\n",
            "signal_category(/rustc_error, /syntax).\n",
            "signal_category(/rustc_parse, /syntax).\n",
            "signal_category(/rustc_name, /syntax).\n",
            "signal_category(/rustc_type, /syntax).\n",
            "signal_category(/rustc_borrow, /syntax).\n",
            "signal_category(/rustc_could_not_compile, /syntax).\n",
            "signal_category(/go_compile, /syntax).\n",
            "signal_category(/go_undefined, /syntax).\n",
            "signal_category(/go_message, /syntax).\n",
            "signal_category(/javac_error, /syntax).\n",
            "signal_category(/javac_message, /syntax).\n",
            "signal_category(/jvm_compilation_failed, /syntax).\n",
            "signal_category(/kotlin_error, /syntax).\n",
            "signal_category(/scala_error, /syntax).\n",
            "signal_category(/gradle_script, /syntax).\n",
            "signal_category(/maven_pom, /syntax).\n",
            "signal_category(/c_error, /syntax).\n",
            "signal_category(/c_message, /syntax).\n",
            "signal_category(/linker_undefined, /syntax).\n",
            "signal_category(/linker_failed, /syntax).\n",
            "signal_category(/makefile, /syntax).\n",
            "signal_category(/parse_error, /syntax).\n",
            "signal_category(/json_parse, /syntax).\n",
            "signal_category(/yaml_parse, /syntax).\n",
            "signal_category(/toml_parse, /syntax).\n",
            "signal_category(/xml_parse, /syntax).\n",
            "signal_category(/dotnet_compile, /syntax).\n",
            "signal_category(/swift_error, /syntax).\n",
            "signal_category(/assertion_error, /logic).\n",
            "signal_category(/to_be, /logic).\n",
            "signal_category(/to_equal, /logic).\n",
            "signal_category(/not_to_throw, /logic).\n",
            "signal_category(/jest_matcher, /logic).\n",
            "signal_category(/jest_expected_received, /logic).\n",
            "signal_category(/js_tests_failed, /logic).\n",
            "signal_category(/snapshot_differs, /logic).\n",
            "signal_category(/type_error, /logic).\n",
            "signal_category(/js_null, /logic).\n",
            "signal_category(/js_not_callable, /logic).\n",
            "signal_category(/js_range_error, /logic).\n",
            "signal_category(/python_index_error, /logic).\n",
            "signal_category(/python_key_error, /logic).\n",
            "signal_category(/python_value_error, /logic).\n",
            "signal_category(/python_zero_division, /logic).\n",
            "signal_category(/python_arithmetic, /logic).\n",
            "signal_category(/python_not_implemented, /logic).\n",
            "signal_category(/python_unicode, /logic).\n",
            "signal_category(/python_iteration, /logic).\n",
            "signal_category(/pytest_assert, /logic).\n",
            "signal_category(/pytest_failed, /logic).\n",
            "signal_category(/unittest_failed, /logic).\n",
            "signal_category(/rust_assertion, /logic).\n",
            "signal_category(/rust_panic, /logic).\n",
            "signal_category(/rust_unwrap, /logic).\n",
            "signal_category(/rust_index, /logic).\n",
            "signal_category(/rust_overflow, /logic).\n",
            "signal_category(/rust_test_failed, /logic).\n",
            "signal_category(/go_panic, /logic).\n",
            "signal_category(/go_nil, /logic).\n",
            "signal_category(/go_index, /logic).\n",
            "signal_category(/go_channel, /logic).\n",
            "signal_category(/go_race, /logic).\n",
            "signal_category(/go_conversion, /logic).\n",
            "signal_category(/go_test_failed, /logic).\n",
            "signal_category(/jvm_null_pointer, /logic).\n",
            "signal_category(/jvm_index, /logic).\n",
            "signal_category(/jvm_arithmetic, /logic).\n",
            "signal_category(/jvm_class_cast, /logic).\n",
            "signal_category(/jvm_number_format, /logic).\n",
            "signal_category(/jvm_illegal_argument, /logic).\n",
            "signal_category(/jvm_illegal_state, /logic).\n",
            "signal_category(/jvm_collection, /logic).\n",
            "signal_category(/jvm_unsupported, /logic).\n",
            "signal_category(/junit_failed, /logic).\n",
            "signal_category(/c_segfault, /logic).\n",
            "signal_category(/c_arithmetic, /logic).\n",
            "signal_category(/c_bus_error, /logic).\n",
            "signal_category(/c_sanitizer, /logic).\n",
            "signal_category(/c_heap, /logic).\n",
            "signal_category(/c_assert, /logic).\n",
            "signal_category(/cpp_exception, /logic).\n",
            "signal_category(/gtest_failed, /logic).\n",
            "signal_category(/ctest_failed, /logic).\n",
            "signal_category(/division_by_zero, /logic).\n",
            "signal_category(/index_out_of_range, /logic).\n",
            "signal_category(/null_dereference, /logic).\n",
            "signal_category(/tests_failed, /logic).\n",
            "signal_category(/circular_dependency, /architecture).\n",
            "signal_category(/stack_overflow, /architecture).\n",
            "signal_category(/maximum_call_stack, /architecture).\n",
            "signal_category(/circular_reference, /architecture).\n",
            "signal_category(/cyclic_reference, /architecture).\n",
            "signal_category(/dependency_cycle, /architecture).\n",
            "signal_category(/spring_bean_cycle, /architecture).\n",
            "signal_category(/go_import_cycle, /architecture).\n",
            "signal_category(/rustc_cycle, /architecture).\n",
            "signal_category(/recursive_type, /architecture).\n",
            "signal_category(/initialization_cycle, /architecture).\n",
            "signal_category(/python_recursion, /architecture).\n",
            "signal_category(/jvm_stack_overflow, /architecture).\n",
            "signal_category(/rust_stack_overflow, /architecture).\n",
            "signal_category(/go_stack_overflow, /architecture).\n",
            "signal_category(/stack_exhausted, /architecture).\n",
        ),
        concat!(
            "input error(error: string, length: int).\n",
            "input error_signal(error: string, signal: name).\n",
            "param long_error: int = 2000.\n",
            "relation kind_order(category: error_kind, place: int).\n",
            "kind_order(/permission, 1).\n",
            "kind_order(/dependency, 2).\n",
            "kind_order(/syntax, 3).\n",
            "kind_order(/logic, 4).\n",
            "kind_order(/architecture, 5).\n",
            "kind_order(/unknown, 6).\n",
            "relation error_response(\n    category: error_kind,\n    action: /fix_in_place | /replan_step | /replan_all | /escalate,\n    recoverable: bool,\n    retry_from: int\n).\n",
            "error_response(/permission, /escalate, false, -2).\n",
            "error_response(/dependency, /escalate, false, -2).\n",
            "error_response(/syntax, /fix_in_place, true, -1).\n",
            "error_response(/logic, /replan_step, true, -1).\n",
            "error_response(/architecture, /replan_all, true, 0).\n",
            "error_response(/unknown, /escalate, false, -2).\n",
            "relation error_shows(error: string, category: error_kind).\n",
            "@id(one_signal)\n@because(\"the text of {Error} shows {Signal}\")\nerror_shows(Error, Category) :-\n    error(Error, _),\n    error_signal(Error, Signal),\n    signal_category(Signal, Category).\n",
            "@id(missing_property)\n@because(\"the text of {Error} says that a property does not exist\")\nerror_shows(Error, /syntax) :-\n    error(Error, _),\n    error_signal(Error, /property),\n    error_signal(Error, /does_not_exist).\n",
            "@id(expected_and_received)\n@because(\"the text of {Error} says what was expected and what was received\")\nerror_shows(Error, /logic) :-\n    error(Error, _),\n    error_signal(Error, /expected),\n    error_signal(Error, /received).\n",
            "@id(very_long_text)\n@because(\"the text of {Error} has {Length} characters, more than {long_error}\")\nerror_shows(Error, /architecture) :- error(Error, Length), Length > long_error.\n",
            "@id(nothing_known)\n@because(\"{Error} was reported\")\nerror_shows(Error, /unknown) :- error(Error, _).\n",
            "relation error_category(error: string, category: error_kind).\n",
            "@id(first_kind_in_order)\n@because(\"{Category} is the first kind in order that {Error} shows\")\nerror_category(Error, Category) :-\n    error_shows(Error, Category),\n    kind_order(Category, Place)\n    limit 1 per Error by Place.\n",
            "decision handle_error(\n    error: string,\n    category: error_kind,\n    action: /fix_in_place | /replan_step | /replan_all | /escalate,\n    recoverable: bool,\n    retry_from: int\n).\n",
            "@id(respond_to_kind)\n@because(\"{Error} is an error of the kind {Category}, and the answer to that is {Action}\")\nhandle_error(Error, Category, Action, Recoverable, RetryFrom) :-\n    error_category(Error, Category),\n    error_response(Category, Action, Recoverable, RetryFrom).\n",
        ),
    ];
}
