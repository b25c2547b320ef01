//! Numbers of JSON whose values would change where they are read and written anew.

use serde_json::Number;

/// The first number of a message that would be another one once it is written anew; what is no JSON has none.
pub(super) fn changed(message: &[u8]) -> Option<String> {
    let (mut at, mut in_string) = (0, false);
    while let Some(byte) = message.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'-' | b'0'..=b'9' if !in_string => {
                let rest = message.get(at..).unwrap_or_default();
                let length = rest.iter().take_while(|byte| is_of_number(**byte)).count();
                let text = String::from_utf8_lossy(rest.get(..length).unwrap_or_default()).into_owned();
                if !is_kept(&text) {
                    return Some(text);
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || b"+-.eE".contains(&byte)
}

/// Whether a number has the same value once it was read and written; what is none is refused elsewhere.
fn is_kept(text: &str) -> bool {
    let Ok(number) = serde_json::from_str::<Number>(text) else { return true };
    decimal(text) == decimal(&number.to_string())
}

/// The digits of a number without zeros around them, where its point is after the first, and whether it is negative; zero
/// has no sign.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (sign, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{part}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    let leading = i64::try_from(digits.len() - significant.len()).ok()?;
    let point = i64::try_from(whole.len()).ok()?.checked_sub(leading)?.checked_add(exponent)?;
    Some((sign, significant.trim_end_matches('0').to_owned(), point))
}
