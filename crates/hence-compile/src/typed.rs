//! The typed face of a compiled rule set: structs for inputs and decisions, enums for closed sets of names,
//! parameters with their defaults, facts in and decisions out.

use std::fmt::Write as _;
use std::sync::Arc;

use hence_core::list::elements;
use hence_core::schema::{ColumnType, Kind, NameSet, Relation, RelationId};
use hence_core::value::{Type, Value};
use hence_lang::ir::Program;

use super::names::Given;
use super::text::{doc, list};

/// The types of a module that are being written.
pub(super) struct Typed<'a> {
    program: &'a Program,
    types: Given,
    sets: Vec<(Arc<NameSet>, String)>,
    out: String,
}

/// A relation with a struct.
struct Struct<'a> {
    id: RelationId,
    relation: &'a Relation,
    name: String,
    /// In `Facts` or `Decisions`.
    field: String,
}

impl<'a> Typed<'a> {
    /// All types of a program and what moves facts between them and tables.
    pub(super) fn write(program: &'a Program) -> String {
        let mut typed = Self { program, types: Given::default(), sets: Vec::new(), out: String::new() };
        let inputs = typed.structs(Kind::Input);
        let decisions = typed.structs(Kind::Decision);
        inputs.iter().chain(&decisions).for_each(|one| typed.record(one));
        typed.params();
        typed.facts(&inputs, &decisions);
        typed.decisions(&decisions);
        typed.out
    }

    fn structs(&mut self, kind: Kind) -> Vec<Struct<'a>> {
        let mut fields = Given::default();
        let all = (0..).map(RelationId).zip(&self.program.relations);
        let of_kind: Vec<_> = all.filter(|(_, relation)| relation.kind == kind).collect();
        if kind == Kind::Decision {
            fields.field("undetermined");
            fields.field("reports");
        }
        of_kind
            .into_iter()
            .map(|(id, relation)| Struct {
                id,
                relation,
                name: self.types.type_name(relation.name.as_str()),
                field: fields.field(relation.name.as_str()),
            })
            .collect()
    }

    /// A column's type as Rust names it; a closed set is an enum, written on its first use.
    fn column(&mut self, relation: &str, column: &str, ty: &ColumnType) -> String {
        if let Some(element) = ty.element() {
            return format!("Vec<{}>", self.column(relation, column, &element));
        }
        match (&ty.set, ty.ty) {
            (Some(set), _) if !set.members.is_empty() => self.set(relation, column, set),
            (_, Type::Bool) => String::from("bool"),
            (_, Type::Int | Type::Time | Type::Duration) => String::from("i64"),
            (_, Type::Float) => String::from("f64"),
            (_, Type::String) => String::from("String"),
            (_, Type::Name | Type::List(_)) => String::from("Name"),
        }
    }

    fn set(&mut self, relation: &str, column: &str, set: &Arc<NameSet>) -> String {
        let known = self
            .sets
            .iter()
            .find(|(known, _)| **known == **set && (set.name.is_some() || Arc::ptr_eq(known, set)));
        if let Some((_, name)) = known {
            return name.clone();
        }
        let wanted = set.name.map_or_else(|| format!("{relation}_{column}"), |name| name.to_string());
        let name = self.types.type_name(&wanted);
        self.sets.push((Arc::clone(set), name.clone()));
        self.enumeration(&name, relation, column, set);
        name
    }

    fn enumeration(&mut self, name: &str, relation: &str, column: &str, set: &NameSet) {
        let mut variants = Given::default();
        let members: Vec<(String, &str)> =
            set.members.iter().map(|member| (variants.type_name(member.as_str()), member.as_str())).collect();
        let otherwise = match set.name {
            Some(name) => format!("The type `{name}`."),
            None => format!("What column `{column}` of `{relation}` admits."),
        };
        let mut out = doc("", &otherwise, "");
        let _ = writeln!(
            out,
            "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\npub enum {name} {{"
        );
        for (variant, member) in &members {
            let _ = writeln!(out, "    /// `{member}`\n    {variant},");
        }
        let _ = writeln!(
            out,
            "}}\n\nimpl {name} {{\n    /// The name as rules write it.\n    pub fn as_str(self) -> &'static str {{\n        match self {{"
        );
        for (variant, member) in &members {
            let _ = writeln!(out, "            Self::{variant} => {member:?},");
        }
        let _ = writeln!(
            out,
            "        }}\n    }}\n}}\n\nimpl Column for {name} {{\n    fn word(&self) -> Option<Word> {{\n        Some(Word::from_symbol(Symbol::new(self.as_str())))\n    }}\n"
        );
        if let [(only, _)] = members.as_slice() {
            let _ = writeln!(out, "    fn of(_: Word) -> Self {{\n        Self::{only}\n    }}\n}}\n");
        } else {
            let _ =
                writeln!(out, "    fn of(word: Word) -> Self {{\n        match word.as_symbol().as_str() {{");
            for (variant, member) in &members {
                let _ = writeln!(out, "            {member:?} => Self::{variant},");
            }
            out.push_str("            _ => broken(\"a column holds names of its closed set only\"),\n");
            let _ = writeln!(out, "        }}\n    }}\n}}\n");
        }
        self.out.push_str(&out);
    }

    fn record(&mut self, one: &Struct<'_>) {
        let (relation, name) = (one.relation, &one.name);
        let mut fields = Given::default();
        let mut columns = Vec::new();
        for column in &relation.columns {
            let ty = self.column(relation.name.as_str(), column.name.as_str(), &column.ty);
            columns.push((fields.field(column.name.as_str()), ty, column));
        }
        let float = columns.iter().any(|(_, ty, _)| ty == "f64");
        let copy = if columns.iter().any(|(_, ty, _)| ty == "String") { "" } else { "Copy, " };
        let total = if float { "PartialEq, PartialOrd" } else { "PartialEq, Eq, Hash, PartialOrd, Ord" };
        let mut out = doc(&relation.doc, &format!("A fact of `{}`.", relation.name), "");
        let _ = writeln!(out, "#[derive(Clone, {copy}Debug, {total})]");
        if columns.is_empty() {
            let _ = writeln!(out, "pub struct {name};\n");
        } else {
            let _ = writeln!(out, "pub struct {name} {{");
            for (field, ty, column) in &columns {
                let _ = writeln!(
                    out,
                    "    /// {}\n    pub {field}: {ty},",
                    column_doc(column.name.as_str(), &column.ty)
                );
            }
            out.push_str("}\n\n");
        }
        let used = if columns.is_empty() { "_" } else { "" };
        let _ = writeln!(
            out,
            "impl Record for {name} {{\n    const TABLE: usize = {};\n    const RELATION: &'static str = {:?};\n",
            one.id.0,
            relation.name.as_str()
        );
        if columns.is_empty() {
            out.push_str("    fn write(&self, _: &mut Row) {}\n\n");
        } else {
            let _ = writeln!(out, "    fn write(&self, {used}row: &mut Row) {{");
            for (field, _, column) in &columns {
                let _ = writeln!(out, "        row.put({:?}, &self.{field});", column.name.as_str());
            }
            out.push_str("    }\n\n");
        }
        if columns.is_empty() {
            out.push_str("    fn read(_: &mut Columns<'_>) -> Self {\n        Self\n    }\n}\n\n");
        } else {
            out.push_str("    fn read(columns: &mut Columns<'_>) -> Self {\n");
            let fields: Vec<String> =
                columns.iter().map(|(field, ..)| format!("{field}: columns.take()")).collect();
            out.push_str(&list("        ", "Self {", &fields, "}", ""));
            out.push_str("    }\n}\n\n");
        }
        self.out.push_str(&out);
    }

    fn params(&mut self) {
        let params = &self.program.params;
        let mut fields = Given::default();
        let mut out = String::from("/// The parameters of the rules.\n");
        if params.is_empty() {
            out.push_str("#[derive(Clone, Debug, Default, PartialEq)]\npub struct Params;\n\nimpl Params {\n    fn words(&self) -> Result<Vec<Word>, BadParam> {\n        Ok(Vec::new())\n    }\n}\n\n");
            self.out.push_str(&out);
            return;
        }
        let (mut declared, mut defaults, mut words) = (String::new(), String::new(), Vec::new());
        for param in params {
            let field = fields.field(param.name.as_str());
            let ty = self.column("param", param.name.as_str(), &param.ty);
            let otherwise = format!("The parameter `{}`.", param.name);
            declared.push_str(&doc(&param.doc, &otherwise, "    "));
            let _ = writeln!(declared, "    pub {field}: {ty},");
            let default = default(param.default, &ty);
            let _ = writeln!(defaults, "            {field}: {default},");
            words.push(format!("        row.put({:?}, &self.{field});\n", param.name.as_str()));
        }
        let _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub struct Params {{\n{declared}}}\n");
        let _ = writeln!(
            out,
            "#[rustfmt::skip]\nimpl Default for Params {{\n    fn default() -> Self {{\n        Self {{\n{defaults}        }}\n    }}\n}}\n"
        );
        let words = words.concat();
        let _ = writeln!(
            out,
            "#[rustfmt::skip]\nimpl Params {{\n    fn words(&self) -> Result<Vec<Word>, BadParam> {{\n        let mut row = Row::default();\n{words}        row.params()\n    }}\n}}\n"
        );
        self.out.push_str(&out);
    }

    fn facts(&mut self, inputs: &[Struct<'_>], decisions: &[Struct<'_>]) {
        let mut out = String::from(
            "/// The facts of every input.\n#[derive(Clone, Debug, Default, PartialEq)]\npub struct Facts {\n",
        );
        for one in inputs {
            out.push_str(&doc(&one.relation.doc, &format!("The facts of `{}`.", one.relation.name), "    "));
            let _ = writeln!(out, "    pub {}: Vec<{}>,", one.field, one.name);
        }
        out.push_str("}\n\nimpl Facts {\n    /// Draws the decisions, each relation's in ascending order.\n    ///\n    /// # Errors\n    /// A value that its column or parameter can't hold, and limits that were reached.\n    pub fn decide(&self, params: &Params) -> Result<Decisions, RunError> {\n        self.decide_within(params, &Bounds::default())\n    }\n\n    /// Draws the decisions within the given limits.\n    ///\n    /// # Errors\n    /// As [`Facts::decide`].\n    pub fn decide_within(&self, params: &Params, bounds: &Bounds) -> Result<Decisions, RunError> {\n        let decided = PACK.decide(|tables| self.fill(tables), &params.words()?, bounds)?;\n");
        let drawn = decisions.iter().map(|one| format!("{}: drawn(&decided.tables)", one.field));
        let rest = ["undetermined: decided.undetermined", "reports: decided.reports"].map(String::from);
        let fields: Vec<String> = drawn.chain(rest).collect();
        out.push_str(&list("        Ok(", "Decisions {", &fields, "}", ")"));
        out.push_str("    }\n\n    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {\n");
        for one in inputs {
            let _ = writeln!(out, "        fill(tables, &self.{})?;", one.field);
        }
        out.push_str("        Ok(())\n    }\n}\n\n");
        for one in inputs {
            let _ = writeln!(
                out,
                "impl Extend<{0}> for Facts {{\n    fn extend<Many: IntoIterator<Item = {0}>>(&mut self, facts: Many) {{\n        self.{1}.extend(facts);\n    }}\n}}\n",
                one.name, one.field
            );
        }
        self.out.push_str(&out);
    }

    fn decisions(&mut self, decisions: &[Struct<'_>]) {
        let mut out = String::from(
            "/// The facts of every decision.\n#[derive(Clone, Debug, Default, PartialEq)]\npub struct Decisions {\n",
        );
        for one in decisions {
            out.push_str(&doc(&one.relation.doc, &format!("The facts of `{}`.", one.relation.name), "    "));
            let _ = writeln!(out, "    pub {}: Vec<{}>,", one.field, one.name);
        }
        out.push_str("    /// Rows that follow possibly and not certainly, because of undefined operations; they are not drawn.\n    pub undetermined: Vec<Undetermined>,\n    /// Undefined operations, one line each.\n    pub reports: Vec<String>,\n}\n");
        self.out.push_str(&out);
    }
}

/// The value of a parameter of the Rust type `ty`.
fn default(value: Value, ty: &str) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Time(value) | Value::Duration(value) => value.to_string(),
        Value::Float(value) => format!("{:?}", value.get()),
        Value::String(text) => format!("String::from({:?})", text.as_str()),
        Value::Name(name) if ty == "Name" => format!("Name::from({:?})", name.as_str()),
        Value::Name(name) => format!("Column::of(Word::from_symbol(Symbol::new({:?})))", name.as_str()),
        Value::List(text) => {
            let element = ty.strip_prefix("Vec<").and_then(|ty| ty.strip_suffix('>')).unwrap_or(ty);
            let elements: Vec<_> = elements(text).iter().map(|value| default(*value, element)).collect();
            format!("vec![{}]", elements.join(", "))
        }
    }
}

fn column_doc(name: &str, ty: &ColumnType) -> String {
    match ty.ty {
        Type::Time => format!("`{name}`, in microseconds since the epoch"),
        Type::Duration => format!("`{name}`, in microseconds"),
        _ => format!("`{name}`"),
    }
}
