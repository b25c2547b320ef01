//! Random expressions of a type over the variables that a rule binds.

use hence_core::value::Type::{self, Bool, Duration, Float, Int, List, Name, String as Text, Time};

use super::dice::Dice;

/// All types.
pub(super) const TYPES: [Type; 7] = [Int, Float, Bool, Text, Name, Time, Duration];

/// A bound variable.
#[derive(Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Type,
}

/// A literal of a type.
pub(super) fn literal(dice: &mut Dice, ty: Type) -> String {
    let extreme = dice.chance(4);
    let from: &[&str] = match ty {
        Int if extreme => &["9223372036854775807", "-9223372036854775808", "4611686018427387904"],
        Int => &["0", "1", "2", "3", "-1", "5", "10"],
        Float if extreme => &["1e308", "-1e308", "5e-324", "9007199254740993.0", "-0.0"],
        Float => &["0.0", "1.0", "-1.5", "0.1", "2.0", "0.3"],
        Bool => &["true", "false"],
        Text => &["\"\"", "\"a\"", "\"b\"", "\"a b\"", "\"7\"", "\"1.5\"", "\"é,ü\"", "r\"x\\y\"", "\"red\""],
        Name => &["/red", "/green", "/blue"],
        Time if extreme => &["@1969-12-31T23:59:59.999999Z", "@9999-12-30T00:00:00Z"],
        Time => &["@2024-02-29T12:00:00Z", "@2026-01-01T00:00:00Z", "@1970-01-01T00:00:00Z"],
        Duration => &["0s", "1s", "-1h30m", "7d", "250ms"],
        List(_) => unreachable!("only parameters are lists"),
    };
    dice.pick(from).to_owned()
}

/// An expression of `ty`, at most `depth` operations deep.
pub(super) fn expr(dice: &mut Dice, vars: &[Var], ty: Type, depth: usize) -> String {
    let known: Vec<&Var> = vars.iter().filter(|var| var.ty == ty).collect();
    if depth == 0 || dice.chance(35) {
        return match known.is_empty() || dice.chance(15) {
            true => literal(dice, ty),
            false => dice.pick(&known).name.clone(),
        };
    }
    if dice.chance(8) {
        let condition = condition(dice, vars, depth - 1);
        let (then, otherwise) = (expr(dice, vars, ty, depth - 1), expr(dice, vars, ty, depth - 1));
        return format!("if({condition}, {then}, {otherwise})");
    }
    let mut one = |dice: &mut Dice, ty: Type| expr(dice, vars, ty, depth - 1);
    match ty {
        Int => int(dice, &mut one),
        Float => float(dice, &mut one),
        Text => text(dice, vars, &mut one),
        Bool => format!("({})", condition(dice, vars, depth - 1)),
        Name => literal(dice, ty),
        Time => match dice.below(5) {
            0 => format!("truncate({}, {})", one(dice, Time), one(dice, Duration)),
            1 => format!("truncate({}, {})", one(dice, Time), unit(dice)),
            2 => format!("truncate({}, {}, {})", one(dice, Time), unit(dice), zone(dice, &mut one)),
            3 => format!("({} + {})", one(dice, Time), one(dice, Duration)),
            _ => format!("({} - {})", one(dice, Time), one(dice, Duration)),
        },
        Duration => match dice.below(8) {
            0 => format!("({} - {})", one(dice, Time), one(dice, Time)),
            1 => format!("({} * ({}))", one(dice, Duration), one(dice, Int)),
            2 => format!("abs({})", one(dice, Duration)),
            3 => format!("-({})", one(dice, Duration)),
            4 => format!("({} * ({}))", one(dice, Duration), one(dice, Float)),
            5 => format!("(({}) * {})", one(dice, Float), one(dice, Duration)),
            6 => format!("({} / ({}))", one(dice, Duration), one(dice, Int)),
            _ => format!("({} + {})", one(dice, Duration), one(dice, Duration)),
        },
        List(_) => literal(dice, ty),
    }
}

fn unit(dice: &mut Dice) -> String {
    dice.pick(&["/hour", "/day", "/week", "/month"]).to_owned()
}

/// A zone, or a text that may be one.
fn zone(dice: &mut Dice, one: One<'_>) -> String {
    match dice.chance(15) {
        true => format!("concat({}, \"\")", one(dice, Text)),
        false => dice.pick(&["\"Europe/Berlin\"", "\"America/New_York\"", "\"Asia/Kolkata\""]).to_owned(),
    }
}

type One<'a> = &'a mut dyn FnMut(&mut Dice, Type) -> String;

/// Two operands of one type around an operator, often without parentheses, so that precedence decides.
fn arithmetic(dice: &mut Dice, one: One<'_>, ty: Type) -> String {
    let op = dice.pick(&["+", "-", "*", "/", "%", "+", "*"]);
    let (left, right) = (one(dice, ty), one(dice, ty));
    if dice.chance(50) { format!("{left} {op} {right}") } else { format!("({left} {op} {right})") }
}

fn int(dice: &mut Dice, one: One<'_>) -> String {
    match dice.below(15) {
        0 => format!("len({})", one(dice, Text)),
        1 => format!("int({})", one(dice, Text)),
        2 => format!("{}({})", dice.pick(&["int", "round", "floor", "ceil"]), one(dice, Float)),
        3 => format!("abs({})", one(dice, Int)),
        4 => format!("-({})", one(dice, Int)),
        5 => format!("{}({}, {})", dice.pick(&["min", "max", "pow"]), one(dice, Int), one(dice, Int)),
        6 => format!("clamp({}, {}, {})", one(dice, Int), one(dice, Int), one(dice, Int)),
        7 => {
            let part = dice.pick(&["year", "month", "day", "weekday", "hour", "minute"]);
            format!("{part}({})", one(dice, Time))
        }
        8 => {
            let part = dice.pick(&["year", "month", "day", "weekday", "hour", "minute"]);
            format!("{part}({}, {})", one(dice, Time), zone(dice, one))
        }
        _ => arithmetic(dice, one, Int),
    }
}

fn float(dice: &mut Dice, one: One<'_>) -> String {
    match dice.below(13) {
        0 => format!("float({})", one(dice, Text)),
        1 | 2 => format!("float({})", one(dice, Int)),
        3 => format!("{}({})", dice.pick(&["sqrt", "ln", "exp", "abs"]), one(dice, Float)),
        4 => {
            let unit = dice.pick(&["seconds", "minutes", "hours", "days"]);
            format!("{unit}({})", one(dice, Duration))
        }
        5 => format!("({} / {})", one(dice, Duration), one(dice, Duration)),
        6 => format!("jaccard({}, {})", one(dice, Text), one(dice, Text)),
        7 => format!("{}({}, {})", dice.pick(&["min", "max", "pow"]), one(dice, Float), one(dice, Float)),
        8 => format!("round({}, {})", one(dice, Float), one(dice, Int)),
        _ => arithmetic(dice, one, Float),
    }
}

fn text(dice: &mut Dice, vars: &[Var], one: One<'_>) -> String {
    match dice.below(12) {
        0 => format!("concat({}, {}, {})", one(dice, Text), one(dice, Text), one(dice, Text)),
        1 => format!("substring({}, {}, {})", one(dice, Text), one(dice, Int), one(dice, Int)),
        2 => format!("{}({})", dice.pick(&["lower", "upper", "trim"]), one(dice, Text)),
        3 => format!("replace({}, {}, {})", one(dice, Text), one(dice, Text), one(dice, Text)),
        4 if !vars.is_empty() => format!("format(\"{{{}}}{{{{}}}}-{{param_i}}\")", dice.pick(vars).name),
        5 => format!("date({})", one(dice, Time)),
        6 => format!("date({}, {})", one(dice, Time), zone(dice, one)),
        7 => {
            let (text, pattern) = (one(dice, Text), dice.pick(&["r\"(\\w)\"", "r\"(a|é)\"", "\"( )\""]));
            format!("replace_all({text}, {pattern}, \"<$1>\")")
        }
        8 if !vars.is_empty() => formatted(dice, vars),
        _ => {
            let ty = dice.pick(&TYPES);
            format!("string({})", one(dice, ty))
        }
    }
}

/// A text with a placeholder that says how.
fn formatted(dice: &mut Dice, vars: &[Var]) -> String {
    let var = dice.pick(vars);
    let format = match var.ty {
        Float => dice.pick(&[":.2", ":.0"]),
        Time => dice.pick(&[":date", ":time"]),
        Duration => ":human",
        Int => ":plural run runs",
        Bool | Text | Name | List(_) => "",
    };
    format!("format(\"{{{}{format}}}.\")", var.name)
}

/// A list of a type, or a parameter that is one.
pub(super) fn list(dice: &mut Dice, ty: Type, least: usize) -> String {
    match ty {
        Int if dice.chance(50) => String::from("param_l"),
        Text if dice.chance(50) => String::from("param_s"),
        _ => {
            let elements: Vec<String> = (0..least + dice.below(3)).map(|_| element(dice, ty)).collect();
            format!("[{}]", elements.join(", "))
        }
    }
}

fn element(dice: &mut Dice, ty: Type) -> String {
    if ty == Int && dice.chance(20) { String::from("param_i") } else { literal(dice, ty) }
}

/// A bool expression that may stand inside parentheses.
pub(super) fn condition(dice: &mut Dice, vars: &[Var], depth: usize) -> String {
    if depth > 0 && dice.chance(25) {
        let (left, right) = (condition(dice, vars, depth - 1), condition(dice, vars, depth - 1));
        return match dice.below(5) {
            0 => format!("not ({left})"),
            1 | 2 => format!("({left}) or {right}"),
            _ => format!("{left} and ({right})"),
        };
    }
    match dice.below(10) {
        9 if !vars.is_empty() => {
            let var = dice.pick(vars);
            format!("{} in {}", var.name, list(dice, var.ty, 0))
        }
        0 => {
            let name = dice.pick(&["contains", "starts_with", "ends_with"]);
            format!("{name}({}, {})", expr(dice, vars, Text, depth), expr(dice, vars, Text, depth))
        }
        1 => {
            let pattern = dice.pick(&["r\"^a\"", "r\"\\d\"", "\"b$\"", "r#\"(a|é)+\"#"]);
            format!("matches({}, {pattern})", expr(dice, vars, Text, depth))
        }
        2 => {
            let pattern = expr(dice, vars, Text, depth);
            format!("matches({}, concat({pattern}, \"\"))", expr(dice, vars, Text, depth))
        }
        _ => comparison(dice, vars, depth),
    }
}

/// Two values of one type, compared; the type is one of a variable where there is one.
pub(super) fn comparison(dice: &mut Dice, vars: &[Var], depth: usize) -> String {
    let ty = match vars.is_empty() || dice.chance(20) {
        true => dice.pick(&TYPES),
        false => dice.pick(vars).ty,
    };
    let (left, right) = (expr(dice, vars, ty, depth), expr(dice, vars, ty, depth));
    format!("{left} {} {right}", dice.pick(&["=", "!=", "<", "<=", ">", ">=", ">=", "!="]))
}
