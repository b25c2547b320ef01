//! What databases write differently: types, literals, whole numbers wider than 64 bits, and how a script stops.

use hence_core::fault::broken;
use hence_core::value::{Type, Value};

use super::spark;

/// The database that a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB.
    DuckDb,
    /// PostgreSQL.
    Postgres,
    /// Apache Spark.
    Spark,
}

impl Dialect {
    /// A name as an identifier, with its case kept.
    pub(super) fn identifier(self, name: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("\"{name}\""),
            Self::Spark => format!("`{name}`"),
        }
    }

    /// The type of a column.
    pub(super) fn column(self, ty: Type) -> &'static str {
        match (self, ty) {
            (Self::Postgres, Type::String | Type::Name) => "TEXT COLLATE \"C\"",
            (Self::Spark, Type::String | Type::Name) => "STRING COLLATE UTF8_BINARY",
            _ => self.ty(ty),
        }
    }

    /// A text that is compared byte by byte, whatever its own collation.
    pub(super) fn bytewise(self, text: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("({text} COLLATE \"C\")"),
            Self::Spark => format!("({text} COLLATE UTF8_BINARY)"),
        }
    }

    /// The type of a value.
    pub(super) fn ty(self, ty: Type) -> &'static str {
        match ty {
            Type::Bool => "BOOLEAN",
            Type::Int | Type::Time | Type::Duration => "BIGINT",
            Type::Float => self.float(),
            Type::String | Type::Name => self.text(),
            Type::List(_) => broken("a column of a relation holds no list"),
        }
    }

    fn float(self) -> &'static str {
        match self {
            Self::DuckDb | Self::Spark => "DOUBLE",
            Self::Postgres => "DOUBLE PRECISION",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::DuckDb => "VARCHAR",
            Self::Postgres => "TEXT",
            Self::Spark => "STRING",
        }
    }

    /// A type of whole numbers that holds the sum, difference and product of any two of 64 bits.
    pub(super) fn wide(self) -> &'static str {
        match self {
            Self::DuckDb => "HUGEINT",
            Self::Postgres => "NUMERIC",
            Self::Spark => "DECIMAL(38, 0)",
        }
    }

    /// The types of a table's column that are read as values of this type, as the database names them.
    pub(super) fn accepted(self, ty: Type) -> &'static [&'static str] {
        match (self, ty) {
            (Self::DuckDb, Type::Bool) => &["BOOLEAN"],
            (Self::DuckDb, Type::Int) => &["BIGINT", "INTEGER", "SMALLINT", "TINYINT"],
            (Self::DuckDb, Type::Float) => &["DOUBLE"],
            (Self::DuckDb, Type::String | Type::Name) => &["VARCHAR"],
            (Self::Postgres, Type::Bool) => &["boolean"],
            (Self::Postgres, Type::Int) => &["bigint", "integer", "smallint"],
            (Self::Postgres, Type::Float) => &["double precision"],
            (Self::Postgres, Type::String | Type::Name) => &["text", "character varying"],
            (Self::DuckDb, Type::Time | Type::Duration) => &["BIGINT"],
            (Self::Spark, Type::Bool) => &["boolean"],
            (Self::Spark, Type::Int) => &["bigint", "int", "smallint", "tinyint"],
            (Self::Spark, Type::Float) => &["double"],
            (Self::Spark, Type::String | Type::Name) => &["string"],
            (Self::Postgres | Self::Spark, Type::Time | Type::Duration) => &["bigint"],
            (_, Type::List(_)) => &[],
        }
    }

    /// The name of the type of an expression.
    pub(super) fn type_of(self, expr: &str) -> String {
        match self {
            Self::DuckDb => format!("TYPEOF({expr})"),
            Self::Postgres => format!("CAST(PG_TYPEOF({expr}) AS TEXT)"),
            Self::Spark => format!("SPLIT_PART(TYPEOF({expr}), ' ', 1)"), // without a collation
        }
    }

    /// A value; its type is as clear as that of a column.
    pub(super) fn literal(self, value: Value) -> String {
        match value {
            Value::Bool(true) => String::from("TRUE"),
            Value::Bool(false) => String::from("FALSE"),
            Value::Int(int) | Value::Time(int) | Value::Duration(int) => format!("CAST({int} AS BIGINT)"),
            Value::Float(float) => format!("CAST('{:e}' AS {})", float.get(), self.float()),
            Value::String(text) | Value::Name(text) => self.quoted(text.as_str()),
            Value::List(_) => broken("a list stands only where its elements are asked for"),
        }
    }

    /// A text as a value.
    fn quoted(self, text: &str) -> String {
        match self {
            Self::DuckDb | Self::Spark => self.plain(text),
            Self::Postgres => self.text_of(&self.plain(text)),
        }
    }

    /// A text between quotes.
    pub(super) fn plain(self, text: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => plain(text),
            Self::Spark => spark::quoted(text),
        }
    }

    /// A value as text, which is compared byte by byte.
    pub(super) fn text_of(self, value: &str) -> String {
        match self {
            Self::DuckDb | Self::Spark => format!("CAST({value} AS {})", self.text()),
            Self::Postgres => format!("(CAST({value} AS TEXT) COLLATE \"C\")"),
        }
    }

    /// The number of bytes of a text.
    pub(super) fn bytes(self, text: &str) -> String {
        match self {
            Self::DuckDb => format!("STRLEN({text})"),
            Self::Postgres | Self::Spark => format!("OCTET_LENGTH({text})"),
        }
    }

    /// A wide whole number as one of 64 bits between two bounds; unknown beyond them.
    pub(super) fn narrowed(self, wide: &str, least: i64, greatest: i64) -> String {
        if self != Self::Postgres && (least, greatest) == (i64::MIN, i64::MAX) {
            return format!("TRY_CAST({wide} AS BIGINT)");
        }
        format!("(CASE WHEN {wide} BETWEEN {least} AND {greatest} THEN CAST({wide} AS BIGINT) END)")
    }

    /// A float that an operation gave, with one zero; unknown where it is no number.
    pub(super) fn finite(self, float: &str) -> String {
        let zero = self.literal(zero());
        match self {
            Self::DuckDb => format!("(CASE WHEN ISFINITE({float}) THEN {float} + {zero} END)"),
            Self::Postgres => format!("({float} + {zero})"),
            Self::Spark => format!("(CASE WHEN {} THEN {float} + {zero} END)", self.is_finite(float)),
        }
    }

    /// The sum of a column of ints, wide.
    pub(super) fn sum(self, ints: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("SUM({ints})"),
            Self::Spark => format!("SUM(CAST({ints} AS {}))", self.wide()),
        }
    }

    /// The value beside the least or greatest one; the least of several.
    pub(super) fn first(self, value: &str, by: &str, descending: bool) -> String {
        let order = if descending { " DESC" } else { "" };
        match self {
            Self::DuckDb | Self::Postgres => format!("(ARRAY_AGG({value} ORDER BY {by}{order}, {value}))[1]"),
            Self::Spark => spark::first(value, by, descending),
        }
    }

    /// A value that a column holds only where there is one.
    pub(super) fn required(self, value: String, because: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => value, // the columns are NOT NULL
            Self::Spark => {
                let stop = format!("RAISE_ERROR({})", self.plain(because));
                // No row is made of no matches, but the value is asked for.
                format!("COALESCE({value}, CASE WHEN COUNT(*) > 0 THEN {stop} END)")
            }
        }
    }

    /// A float without its fraction.
    pub(super) fn truncated(self, float: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("TRUNC({float})"),
            Self::Spark => format!(
                "(RINT({float}) - CASE WHEN ABS(RINT({float})) > ABS({float}) THEN SIGN({float}) ELSE 0D END)"
            ),
        }
    }

    /// The largest float without a fraction that is not above this one.
    pub(super) fn floor(self, float: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("FLOOR({float})"),
            Self::Spark => format!("(RINT({float}) - CASE WHEN RINT({float}) > {float} THEN 1D ELSE 0D END)"),
        }
    }

    /// The smallest float without a fraction that is not below this one.
    pub(super) fn ceil(self, float: &str) -> String {
        match self {
            Self::DuckDb | Self::Postgres => format!("CEIL({float})"),
            Self::Spark => format!("(RINT({float}) + CASE WHEN RINT({float}) < {float} THEN 1D ELSE 0D END)"),
        }
    }

    /// Whole numbers divided towards zero.
    pub(super) fn quotient(self, left: &str, right: &str) -> String {
        match self {
            Self::DuckDb => format!("({left} // {right})"),
            Self::Postgres => format!("DIV(CAST({left} AS NUMERIC), {right})"),
            Self::Spark => spark::quotient(left, right),
        }
    }

    /// The ints from the first of two values to below the second.
    pub(super) fn range(self, from: &str, to: &str) -> String {
        match self {
            Self::DuckDb => format!("LATERAL (SELECT UNNEST(RANGE({from}, {to})))"),
            Self::Postgres => format!("GENERATE_SERIES({from}, {to} - 1)"),
            Self::Spark => {
                format!("LATERAL EXPLODE(CASE WHEN {from} < {to} THEN SEQUENCE({from}, {to} - 1) END)")
            }
        }
    }

    /// That a float is a number.
    pub(super) fn is_finite(self, float: &str) -> String {
        match self {
            Self::DuckDb => format!("ISFINITE({float})"),
            Self::Postgres => format!("{float} NOT IN ('Infinity', '-Infinity', 'NaN')"),
            Self::Spark => format!("ABS({float}) < CAST('Infinity' AS DOUBLE)"), // and NaN is above it
        }
    }

    /// That a text is a name.
    pub(super) fn is_name(self, text: &str) -> String {
        let pattern = "/[a-z][a-z0-9_.-]*(/[a-z0-9_.-]+)*";
        let matches = match self {
            Self::DuckDb => format!("REGEXP_FULL_MATCH({text}, '{pattern}')"),
            Self::Postgres => format!("{text} ~ '^(?:{pattern})$'"),
            Self::Spark => format!("{text} RLIKE '\\\\A(?:{pattern})\\\\z'"),
        };
        format!("{matches} AND {text} NOT LIKE '%.'")
    }

    /// The statement that stops the script where `from` has a row.
    pub(super) fn stop(self, because: &str, from: &str) -> String {
        let function = match self {
            Self::DuckDb => "ERROR",
            Self::Postgres => "hence.\"_stop\"",
            Self::Spark => "RAISE_ERROR",
        };
        format!("SELECT {function}({}) WHERE EXISTS (SELECT 1 FROM {from});\n", self.plain(because))
    }

    /// What begins a transaction.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::DuckDb => "BEGIN;\nSET ieee_floating_point_ops = true;\n",
            Self::Postgres => {
                "BEGIN;\nSET LOCAL standard_conforming_strings = on;\nSET LOCAL client_min_messages = warning;\n"
            }
            Self::Spark => "BEGIN\n",
        }
    }

    /// An empty schema of this name, and what the script needs beside it.
    ///
    /// Were the schema in the search path, the name of an input would mean the script's own table.
    pub(super) fn schema(self, name: &str) -> String {
        let empty = format!("DROP SCHEMA IF EXISTS {name} CASCADE;\nCREATE SCHEMA {name};\n");
        let (own, refused, because) = self.refused_settings(name);
        let where_so = |condition: &str| format!("(SELECT 1 AS one) AS t WHERE {condition}");
        let path = format!("the schema `{name}` is in the search path");
        let checks = [(path.as_str(), own.as_str()), (because, refused)]
            .map(|(because, condition)| self.stop(because, &where_so(condition)))
            .concat();
        match self {
            Self::DuckDb => format!("{empty}{checks}"),
            Self::Postgres => format!(
                "{empty}CREATE FUNCTION hence.\"_stop\"(TEXT) RETURNS VOID LANGUAGE plpgsql AS\n\
                 'BEGIN RAISE EXCEPTION ''%'', $1; END';\n{checks}"
            ),
            // What is dropped stays so: there is no transaction.
            Self::Spark => format!("{checks}{empty}"),
        }
    }

    /// When the schema is in the search path; a setting with which the script would mean something else, and its message.
    fn refused_settings(self, schema: &str) -> (String, &'static str, &'static str) {
        match self {
            Self::DuckDb => (
                format!("LIST_CONTAINS(CURRENT_SCHEMAS(TRUE), '{schema}')"),
                "'a' = 'A' OR 'a' < 'B' OR 'e' = '\u{e9}'",
                "texts are not compared byte by byte: reset default_collation",
            ),
            Self::Postgres => (
                format!("'{schema}' = ANY(CURRENT_SCHEMAS(TRUE))"),
                "CURRENT_SETTING('server_encoding') <> 'UTF8'",
                "the database is not in UTF-8",
            ),
            Self::Spark => (
                format!("CURRENT_SCHEMA() = '{schema}'"),
                "'a' = 'A' OR LENGTH('\\\\') <> 1",
                "texts are not read or compared as they are written: unset spark.sql.parser.escapedStringLiterals \
                 and the default collation",
            ),
        }
    }
}

/// The float 0.
pub(super) fn zero() -> Value {
    Value::Float(hence_core::value::Float::ZERO)
}

/// A text between quotes; no statement holds a NUL.
fn plain(text: &str) -> String {
    let quoted = format!("'{}'", text.replace('\'', "''"));
    if quoted.contains('\0') { format!("({})", quoted.replace('\0', "' || CHR(0) || '")) } else { quoted }
}
