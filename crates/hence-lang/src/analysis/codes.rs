//! The codes of names (E2xx), types (E3xx), safety (E4xx), strata and guards (E5xx).

use hence_core::diagnostic::Code;

/// A relation that is neither declared nor derived.
pub const UNKNOWN_RELATION: Code = Code("E201");
/// Two declarations of one relation.
pub const RELATION_TWICE: Code = Code("E202");
/// A relation called like a function, a generator, an aggregate or a reserved word.
pub const RESERVED_NAME: Code = Code("E203");
/// Two columns of one relation with one name.
pub const COLUMN_TWICE: Code = Code("E204");
/// A type that is neither built in nor declared.
pub const UNKNOWN_TYPE: Code = Code("E205");
/// Two closed sets with one name, or a set called like a built-in type.
pub const TYPE_TWICE: Code = Code("E206");
/// Two parameters with one name.
pub const PARAM_TWICE: Code = Code("E207");
/// A duplicate name in a closed set.
pub const MEMBER_TWICE: Code = Code("E208");
/// A lower-case word that is no parameter.
pub const UNKNOWN_PARAM: Code = Code("E209");
/// A column that the relation doesn't have.
pub const UNKNOWN_COLUMN: Code = Code("E210");
/// Another number of terms than the relation has columns.
pub const WRONG_ARITY: Code = Code("E211");
/// A rule or a fact for an input.
pub const DERIVED_INPUT: Code = Code("E212");
/// A declaration of `now` in another form than `input now(at: time)`.
pub const NOW_FORM: Code = Code("E213");
/// A call of something that is no function.
pub const UNKNOWN_FUNCTION: Code = Code("E214");
/// A relation inside an expression.
pub const RELATION_AS_VALUE: Code = Code("E215");
/// Two rules with one `@id`.
pub const ID_TWICE: Code = Code("E216");
/// `because ID` with an id that no rule has.
pub const UNKNOWN_ID: Code = Code("E217");
/// A placeholder that the rule doesn't bind.
pub const UNBOUND_PLACEHOLDER: Code = Code("E218");
/// Braces that are no placeholder.
pub const FAULTY_PLACEHOLDER: Code = Code("E219");
/// A duplicate column in one atom.
pub const ARGUMENT_TWICE: Code = Code("E220");
/// A fact of a fact file whose relation is no input.
pub const NOT_AN_INPUT: Code = Code("E221");
/// A column of a derived relation with a default.
pub const DERIVED_DEFAULT: Code = Code("E222");
/// A relation of the time before a migration, outside of one.
pub const OLD_RELATION: Code = Code("E223");
/// A role that stands twice after `from`.
pub const ROLE_TWICE: Code = Code("E224");
/// A feed or an effect whose head is no input.
pub const HEAD_NO_INPUT: Code = Code("E225");
/// An effect or a feed of an input whose authors don't include it.
pub const NOT_FROM_RULES: Code = Code("E226");
/// A feed or an effect of the clock.
pub const CLOCK_HEAD: Code = Code("E227");
/// A time in an effect's head that the clock gives, and not the term `now`.
pub const CLOCK_IN_EFFECT: Code = Code("E228");
/// The author's column of an effect's head names somebody else than its rule.
pub const EFFECT_AUTHOR: Code = Code("E229");

/// A value of another type than its column or parameter.
pub const WRONG_TYPE: Code = Code("E301");
/// An operator, a function or an aggregate that doesn't take these types.
pub const NO_SUCH_OPERATION: Code = Code("E302");
/// One variable with two types.
pub const VARIABLE_TYPES: Code = Code("E303");
/// A name outside the closed set of its place.
pub const OUTSIDE_SET: Code = Code("E304");
/// A literal of a body that is no condition.
pub const NOT_BOOL: Code = Code("E305");
/// A column whose type can't be inferred.
pub const UNKNOWN_COLUMN_TYPE: Code = Code("E306");
/// Two rules that give a column two types.
pub const COLUMN_TYPES: Code = Code("E307");
/// Another number of arguments than the function takes.
pub const WRONG_ARGUMENTS: Code = Code("E308");
/// A pattern that is no regular expression.
pub const FAULTY_PATTERN: Code = Code("E309");
/// An expression where a literal is due.
pub const NOT_LITERAL: Code = Code("E310");
/// Two branches of `if` with two types.
pub const BRANCH_TYPES: Code = Code("E311");
/// An aggregate that is no whole column of a head.
pub const MISPLACED_AGGREGATE: Code = Code("E312");
/// An aggregate and a limit in one rule.
pub const AGGREGATE_AND_LIMIT: Code = Code("E313");
/// A generator outside `in`, or something else after `in`.
pub const MISPLACED_GENERATOR: Code = Code("E314");
/// A limit that is no number of its own.
pub const LIMIT_COUNT: Code = Code("E315");
/// A fact with something in it that has no value yet.
pub const NOT_GROUND: Code = Code("E316");
/// An expression of constants that is undefined.
pub const NO_RESULT: Code = Code("E317");
/// Two closed sets without a common member where one value has to be in both.
pub const DISJOINT_SETS: Code = Code("E318");
/// An invalid distance (`~`), or one where nothing is compared.
pub const FAULTY_DISTANCE: Code = Code("E319");
/// A time zone that the database doesn't have.
pub const UNKNOWN_ZONE: Code = Code("E325");
/// A list where one value is due, or one value where a list is.
pub const MISPLACED_LIST: Code = Code("E328");

/// A variable that nothing binds.
pub const UNBOUND: Code = Code("E401");
/// A variable in a fact.
pub const VARIABLE_IN_FACT: Code = Code("E402");
/// `_` where a value is due.
pub const WILDCARD_VALUE: Code = Code("E403");
/// A rank that is bound otherwise, or isn't in the head.
pub const FAULTY_RANK: Code = Code("E404");
/// Something else than a variable before `in`.
pub const IN_NEEDS_VARIABLE: Code = Code("E405");

/// A relation that depends on itself through negation, an aggregate or a limit.
pub const CYCLE: Code = Code("E501");
/// A guarded decision that can be drawn without the fact that it requires.
pub const GUARD_LOST: Code = Code("E511");
/// A guard that can't be proved because the rules below hand the decision's columns on in too many ways.
pub const GUARD_TOO_WIDE: Code = Code("E512");
/// Personal values that are recorded in a column that doesn't say so.
pub const PERSONAL_LOST: Code = Code("E513");
/// `@personal` of a column that can't hold personal values, or that doesn't say whose they are.
pub const FAULTY_PERSONAL: Code = Code("E514");
/// A rule that needs facts of several shards, or that every shard would apply.
pub const PARTITION_CROSSED: Code = Code("E521");
/// `@partition` of something that has no facts of its own, or of a column that can't say where they lie.
pub const FAULTY_PARTITION: Code = Code("E522");
