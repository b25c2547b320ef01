//! The codes of faults in the text of a rule file: `E1xx`.

use hence_core::diagnostic::Code;

/// A character that begins nothing in the language.
pub(crate) const UNEXPECTED_CHARACTER: Code = Code("E101");
/// A string that is not closed on its line.
pub(crate) const UNCLOSED_STRING: Code = Code("E102");
/// An escape that no string knows.
pub(crate) const BAD_ESCAPE: Code = Code("E103");
/// A number that is not written as the language writes numbers.
pub(crate) const BAD_NUMBER: Code = Code("E104");
/// A number, time or duration beyond what 64 bits hold.
pub const OUT_OF_RANGE: Code = Code("E105");
/// A duration that is not written in whole units of `w d h m s ms us`.
pub(crate) const BAD_DURATION: Code = Code("E106");
/// A time that is not written as RFC 3339 has it.
pub(crate) const BAD_TIME: Code = Code("E107");
/// A name such as `/error/syntax` with a letter or an end that no name has.
pub(crate) const BAD_NAME: Code = Code("E108");
/// A division without a space on its right, or a name directly after a value.
pub(crate) const DIVISION_SPACING: Code = Code("E109");
/// A file that is not UTF-8, or holds a NUL character.
pub(crate) const NOT_TEXT: Code = Code("E110");
/// A file of more than 64 MiB.
pub const FILE_TOO_LARGE: Code = Code("E111");
/// More faults in one file than are worth showing.
pub const TOO_MANY_FAULTS: Code = Code("E112");
/// More warnings than are worth showing.
pub const TOO_MANY_WARNINGS: Code = Code("W112");
/// A variable or word with a letter that is not allowed in it.
pub(crate) const BAD_WORD: Code = Code("E113");

/// Something else is found where the grammar expects a certain form.
pub const UNEXPECTED: Code = Code("E120");
/// A clause without its `.`, or a `.` without white space after it.
pub(crate) const MISSING_DOT: Code = Code("E121");
/// Two literals or terms without a comma between them.
pub(crate) const MISSING_COMMA: Code = Code("E122");
/// A comma with nothing after it.
pub(crate) const STRAY_COMMA: Code = Code("E123");
/// A parenthesis or brace without its partner.
pub(crate) const UNBALANCED: Code = Code("E124");
/// Expressions nested deeper than 256.
pub const TOO_DEEP: Code = Code("E125");
/// A relation, function, column or parameter that begins with an upper-case letter.
pub(crate) const UPPER_CASE_NAME: Code = Code("E126");
/// A reserved word where a name is expected.
pub(crate) const RESERVED_WORD: Code = Code("E127");
/// Arguments by name where they must be given by position, or both in one atom.
pub(crate) const NAMED_ARGUMENTS: Code = Code("E128");
/// A relation without columns that lacks its parentheses.
pub(crate) const MISSING_PARENTHESES: Code = Code("E129");
/// A declaration of a relation, type, parameter or import that lacks a part.
pub const BAD_DECLARATION: Code = Code("E130");
/// An annotation that is unknown, duplicate, or belongs to no rule.
pub(crate) const BAD_ANNOTATION: Code = Code("E131");
/// `a < b < c`.
pub(crate) const CHAINED_COMPARISON: Code = Code("E132");
/// `and` or `or` between literals, outside parentheses.
pub(crate) const LOOSE_CONNECTIVE: Code = Code("E133");
/// A `limit` that lacks a part or has its parts in another order.
pub(crate) const BAD_LIMIT: Code = Code("E134");
/// A `test` block that lacks a part or has its parts in another order.
pub const BAD_TEST: Code = Code("E135");
/// A rule without a head, without a body after `:-`, or with a second `:-`.
pub(crate) const BAD_RULE: Code = Code("E136");
/// A condition that can't be negated, or can't be where it is.
pub(crate) const BAD_CONDITION: Code = Code("E137");

/// An operator of another language.
pub(crate) const FOREIGN_OPERATOR: Code = Code("E150");
/// A comment of another language.
pub(crate) const FOREIGN_COMMENT: Code = Code("E151");
/// A declaration or directive of another language.
pub(crate) const FOREIGN_DECLARATION: Code = Code("E152");
/// A function call of another language.
pub(crate) const FOREIGN_CALL: Code = Code("E153");
/// An aggregate as another language writes it.
pub(crate) const FOREIGN_AGGREGATE: Code = Code("E154");
/// A string between single or curly quotes.
pub(crate) const FOREIGN_QUOTES: Code = Code("E155");
/// A rule in the form of another language.
pub(crate) const FOREIGN_RULE: Code = Code("E156");
/// Variables written in lower case, as Soufflé and crepe have them.
pub(crate) const FOREIGN_VARIABLE: Code = Code("E157");

/// Every code of this room, in order.
pub const ALL: &[Code] = &[
    UNEXPECTED_CHARACTER,
    UNCLOSED_STRING,
    BAD_ESCAPE,
    BAD_NUMBER,
    OUT_OF_RANGE,
    BAD_DURATION,
    BAD_TIME,
    BAD_NAME,
    DIVISION_SPACING,
    NOT_TEXT,
    FILE_TOO_LARGE,
    TOO_MANY_FAULTS,
    TOO_MANY_WARNINGS,
    BAD_WORD,
    UNEXPECTED,
    MISSING_DOT,
    MISSING_COMMA,
    STRAY_COMMA,
    UNBALANCED,
    TOO_DEEP,
    UPPER_CASE_NAME,
    RESERVED_WORD,
    NAMED_ARGUMENTS,
    MISSING_PARENTHESES,
    BAD_DECLARATION,
    BAD_ANNOTATION,
    CHAINED_COMPARISON,
    LOOSE_CONNECTIVE,
    BAD_LIMIT,
    BAD_TEST,
    BAD_RULE,
    BAD_CONDITION,
    FOREIGN_OPERATOR,
    FOREIGN_COMMENT,
    FOREIGN_DECLARATION,
    FOREIGN_CALL,
    FOREIGN_AGGREGATE,
    FOREIGN_QUOTES,
    FOREIGN_RULE,
    FOREIGN_VARIABLE,
];
