//! Lists of literals, interned: the values of list parameters.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use crate::fault::OrBroken;
use crate::symbol::Symbol;
use crate::value::{Type, Value};

/// The elements of each list, by its text.
static LISTS: LazyLock<RwLock<HashMap<Symbol, &'static [Value]>>> = LazyLock::new(RwLock::default);

/// The list of these scalar values, each once, as a value. Lists of the same elements in the same order are equal.
pub fn of(values: impl IntoIterator<Item = Value>) -> Value {
    let mut elements: Vec<Value> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    elements.extend(values.into_iter().filter(|value| seen.insert(*value)));
    let texts: Vec<_> = elements.iter().map(Value::to_string).collect();
    let text = Symbol::new(&format!("[{}]", texts.join(", ")));
    let mut lists = LISTS.write().unwrap_or_else(PoisonError::into_inner);
    lists.entry(text).or_insert_with(|| Box::leak(elements.into_boxed_slice()));
    Value::List(text)
}

/// The elements of the list with this text, which [`of`] made, in their order.
pub fn elements(text: Symbol) -> &'static [Value] {
    let lists = LISTS.read().unwrap_or_else(PoisonError::into_inner);
    lists.get(&text).copied().or_broken("the text of a list is that of one that was made")
}

impl Type {
    /// The type of the lists of values of this type; a list of lists is no type, so that of a list is itself.
    pub fn list(self) -> Self {
        Self::List(match self {
            Self::Bool => &Self::Bool,
            Self::Int => &Self::Int,
            Self::Float => &Self::Float,
            Self::String => &Self::String,
            Self::Name => &Self::Name,
            Self::Time => &Self::Time,
            Self::Duration => &Self::Duration,
            Self::List(element) => element,
        })
    }
}
