//! Between the structs of a compiled rule set and rows of words.

use std::fmt;

use thiserror::Error;

use hence_core::fault::OrBroken;
use hence_core::list;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};

use super::table::Tables;

/// A value that its column can't hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column `{column}` of `{relation}` can't hold `{value}`")]
pub struct BadFact {
    /// The relation.
    pub relation: &'static str,
    /// The column.
    pub column: &'static str,
    /// The value.
    pub value: String,
}

/// A value that its parameter can't have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the parameter `{param}` can't be `{value}`")]
pub struct BadParam {
    /// The parameter.
    pub param: &'static str,
    /// The value.
    pub value: String,
}

/// A type of columns.
pub trait Column: fmt::Debug {
    /// The type of the values in lists.
    const TYPE: Type = Type::Name;

    /// The word of a value; `None` for one that no column can hold.
    fn word(&self) -> Option<Word>;

    /// The value of a word.
    fn of(word: Word) -> Self;
}

/// A struct that represents the facts of a relation.
pub trait Record: Sized {
    /// The relation, by its number.
    const TABLE: usize;
    /// The relation's name.
    const RELATION: &'static str;

    /// Writes the columns in their order.
    fn write(&self, row: &mut Row);

    /// Reads the columns in their order.
    fn read(columns: &mut Columns<'_>) -> Self;
}

/// A row that is being written.
#[derive(Debug, Default)]
pub struct Row {
    words: Vec<Word>,
    bad: Option<(&'static str, String)>,
}

impl Row {
    /// Adds the value of a column.
    pub fn put<T: Column>(&mut self, column: &'static str, value: &T) {
        match value.word() {
            Some(word) => self.words.push(word),
            None => self.bad = Some((column, format!("{value:?}"))),
        }
    }

    /// The values of parameters that were put down.
    ///
    /// # Errors
    /// The last value that its parameter can't have.
    pub fn params(self) -> Result<Vec<Word>, BadParam> {
        match self.bad {
            None => Ok(self.words),
            Some((param, value)) => Err(BadParam { param, value }),
        }
    }
}

/// A row that is being read.
#[derive(Debug)]
pub struct Columns<'a>(std::slice::Iter<'a, Word>);

impl Columns<'_> {
    /// The value of the next column.
    pub fn take<T: Column>(&mut self) -> T {
        T::of(*self.0.next().or_broken("a row has a word for each column of its relation"))
    }
}

/// Adds facts to their table.
///
/// # Errors
/// The first value that its column can't hold.
pub fn fill<T: Record>(tables: &mut Tables, facts: &[T]) -> Result<(), BadFact> {
    let mut row = Row::default();
    for fact in facts {
        row.words.clear();
        fact.write(&mut row);
        if let Some((column, value)) = row.bad.take() {
            return Err(BadFact { relation: T::RELATION, column, value });
        }
        tables.push(T::TABLE, &row.words);
    }
    Ok(())
}

/// The facts of a table, in ascending order.
pub fn drawn<T: Record + PartialOrd>(tables: &Tables) -> Vec<T> {
    let rows = tables.get(T::TABLE).iter();
    let mut facts: Vec<T> = rows.map(|row| T::read(&mut Columns(row.iter()))).collect();
    facts.sort_by(|left, right| left.partial_cmp(right).or_broken("the floats of rows have an order"));
    facts
}

/// A name such as `/error/syntax`, of a column that admits any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Symbol);

impl Name {
    /// The name with its slash.
    pub fn as_str(self) -> &'static str {
        self.0.as_str()
    }
}

impl From<&str> for Name {
    /// A name written with or without its slash; whether it is one shows when the facts are read.
    fn from(text: &str) -> Self {
        if text.starts_with('/') { Self(Symbol::new(text)) } else { Self(Symbol::new(&format!("/{text}"))) }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Column for Name {
    fn word(&self) -> Option<Word> {
        literal::is_name(self.as_str()).then(|| Word::from_symbol(self.0))
    }

    fn of(word: Word) -> Self {
        Self(word.as_symbol())
    }
}

impl Column for String {
    const TYPE: Type = Type::String;

    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self)))
    }

    fn of(word: Word) -> Self {
        word.as_symbol().as_str().to_owned()
    }
}

impl Column for bool {
    const TYPE: Type = Type::Bool;

    fn word(&self) -> Option<Word> {
        Some(Word::from_bool(*self))
    }

    fn of(word: Word) -> Self {
        word.as_bool()
    }
}

impl Column for i64 {
    const TYPE: Type = Type::Int;

    fn word(&self) -> Option<Word> {
        Some(Word::from_int(*self))
    }

    fn of(word: Word) -> Self {
        word.as_int()
    }
}

impl Column for f64 {
    const TYPE: Type = Type::Float;

    fn word(&self) -> Option<Word> {
        Word::from_float(*self)
    }

    fn of(word: Word) -> Self {
        word.as_float()
    }
}

/// The value of a list parameter.
impl<T: Column> Column for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn word(&self) -> Option<Word> {
        let element = |element: &T| Some(Value::from_word(T::TYPE, element.word()?));
        let elements = self.iter().map(element).collect::<Option<Vec<_>>>()?;
        Some(list::of(elements).word())
    }

    fn of(word: Word) -> Self {
        list::elements(word.as_symbol()).iter().map(|element| T::of(element.word())).collect()
    }
}
