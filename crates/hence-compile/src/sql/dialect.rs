//! What databases write differently: types, literals, whole numbers wider than 64 bits, and how a script stops.

use hence_core::fault::broken;
use hence_core::value::{Type, Value};

/// The database that a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// DuckDB.
    DuckDb,
    /// PostgreSQL.
    Postgres,
}

impl Dialect {
    /// The type of a column.
    pub(super) fn column(self, ty: Type) -> &'static str {
        match (self, ty) {
            (Self::Postgres, Type::String | Type::Name) => "TEXT COLLATE \"C\"",
            _ => self.ty(ty),
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
            Self::DuckDb => "DOUBLE",
            Self::Postgres => "DOUBLE PRECISION",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::DuckDb => "VARCHAR",
            Self::Postgres => "TEXT",
        }
    }

    /// A type of whole numbers that holds the sum, difference and product of any two of 64 bits.
    pub(super) fn wide(self) -> &'static str {
        match self {
            Self::DuckDb => "HUGEINT",
            Self::Postgres => "NUMERIC",
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
            (Self::Postgres, Type::Time | Type::Duration) => &["bigint"],
            (_, Type::List(_)) => &[],
        }
    }

    /// The name of the type of an expression.
    pub(super) fn type_of(self, expr: &str) -> String {
        match self {
            Self::DuckDb => format!("TYPEOF({expr})"),
            Self::Postgres => format!("CAST(PG_TYPEOF({expr}) AS TEXT)"),
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
            Self::DuckDb => plain(text),
            Self::Postgres => self.text_of(&plain(text)),
        }
    }

    /// A value as text, which is compared byte by byte.
    pub(super) fn text_of(self, value: &str) -> String {
        match self {
            Self::DuckDb => format!("CAST({value} AS VARCHAR)"),
            Self::Postgres => format!("(CAST({value} AS TEXT) COLLATE \"C\")"),
        }
    }

    /// The number of bytes of a text.
    pub(super) fn bytes(self, text: &str) -> String {
        match self {
            Self::DuckDb => format!("STRLEN({text})"),
            Self::Postgres => format!("OCTET_LENGTH({text})"),
        }
    }

    /// A wide whole number as one of 64 bits between two bounds; unknown beyond them.
    pub(super) fn narrowed(self, wide: &str, least: i64, greatest: i64) -> String {
        if self == Self::DuckDb && (least, greatest) == (i64::MIN, i64::MAX) {
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
        }
    }

    /// Whole numbers divided towards zero.
    pub(super) fn quotient(self, left: &str, right: &str) -> String {
        match self {
            Self::DuckDb => format!("({left} // {right})"),
            Self::Postgres => format!("DIV(CAST({left} AS NUMERIC), {right})"),
        }
    }

    /// The ints from the first of two values to below the second.
    pub(super) fn range(self, from: &str, to: &str) -> String {
        match self {
            Self::DuckDb => format!("LATERAL (SELECT UNNEST(RANGE({from}, {to})))"),
            Self::Postgres => format!("GENERATE_SERIES({from}, {to} - 1)"),
        }
    }

    /// That a float is a number.
    pub(super) fn is_finite(self, float: &str) -> String {
        match self {
            Self::DuckDb => format!("ISFINITE({float})"),
            Self::Postgres => format!("{float} NOT IN ('Infinity', '-Infinity', 'NaN')"),
        }
    }

    /// That a text is a name.
    pub(super) fn is_name(self, text: &str) -> String {
        let pattern = "/[a-z][a-z0-9_.-]*(/[a-z0-9_.-]+)*";
        let matches = match self {
            Self::DuckDb => format!("REGEXP_FULL_MATCH({text}, '{pattern}')"),
            Self::Postgres => format!("{text} ~ '^(?:{pattern})$'"),
        };
        format!("{matches} AND {text} NOT LIKE '%.'")
    }

    /// The statement that stops the script where `from` has a row.
    pub(super) fn stop(self, because: &str, from: &str) -> String {
        let function = match self {
            Self::DuckDb => "ERROR",
            Self::Postgres => "hence.\"_stop\"",
        };
        format!("SELECT {function}({}) WHERE EXISTS (SELECT 1 FROM {from});\n", plain(because))
    }

    /// What begins a transaction.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::DuckDb => "BEGIN;\nSET ieee_floating_point_ops = true;\n",
            Self::Postgres => {
                "BEGIN;\nSET LOCAL standard_conforming_strings = on;\nSET LOCAL client_min_messages = warning;\n"
            }
        }
    }

    /// An empty schema, and what the script needs beside it.
    ///
    /// Were the schema in the search path, the name of an input would mean the script's own table.
    pub(super) fn schema(self) -> String {
        let schema = "DROP SCHEMA IF EXISTS hence CASCADE;\nCREATE SCHEMA hence;\n";
        let (function, own, refused, because) = match self {
            Self::DuckDb => (
                "",
                "LIST_CONTAINS(CURRENT_SCHEMAS(TRUE), 'hence')",
                "'a' = 'A' OR 'a' < 'B' OR 'e' = '\u{e9}'",
                "texts are not compared byte by byte: reset default_collation",
            ),
            Self::Postgres => (
                "CREATE FUNCTION hence.\"_stop\"(TEXT) RETURNS VOID LANGUAGE plpgsql AS\n\
                 'BEGIN RAISE EXCEPTION ''%'', $1; END';\n",
                "'hence' = ANY(CURRENT_SCHEMAS(TRUE))",
                "CURRENT_SETTING('server_encoding') <> 'UTF8'",
                "the database is not in UTF-8",
            ),
        };
        let where_so = |condition: &str| format!("(SELECT 1 AS one) AS t WHERE {condition}");
        let path = self.stop("the schema `hence` is in the search path", &where_so(own));
        format!("{schema}{function}{path}{}", self.stop(because, &where_so(refused)))
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
