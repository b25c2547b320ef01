//! What operations are called in rules.

use super::Op;

impl Op {
    /// The function or operator as a rule file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less | Self::LessText => "<",
            Self::LessEqual | Self::LessEqualText => "<=",
            Self::Greater | Self::GreaterText => ">",
            Self::GreaterEqual | Self::GreaterEqualText => ">=",
            Self::Not => "not",
            Self::Among | Self::In => "in",
            Self::AddInt | Self::AddTime | Self::AddFloat => "+",
            Self::SubInt | Self::SubTime | Self::SubFloat | Self::NegInt | Self::NegFloat => "-",
            Self::MulInt | Self::MulFloat | Self::ScaleDuration | Self::ScaleByDuration => "*",
            Self::DivInt | Self::DivFloat | Self::DivDuration | Self::ShareDuration => "/",
            Self::RemInt | Self::RemFloat => "%",
            _ => self.function_name(),
        }
    }

    fn function_name(self) -> &'static str {
        match self {
            Self::AbsInt | Self::AbsFloat => "abs",
            Self::PowInt | Self::PowFloat => "pow",
            Self::Sqrt => "sqrt",
            Self::Ln => "ln",
            Self::Exp => "exp",
            Self::Min | Self::MinText => "min",
            Self::Max | Self::MaxText => "max",
            Self::Clamp | Self::ClampText => "clamp",
            Self::FloatOfInt | Self::FloatOfText => "float",
            Self::IntOfFloat | Self::IntOfText => "int",
            Self::Round | Self::RoundTo => "round",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::StringOf(_) => "string",
            Self::NameOf => "name",
            _ => self.text_or_time_name(),
        }
    }

    fn text_or_time_name(self) -> &'static str {
        match self {
            Self::Len => "len",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Trim => "trim",
            Self::Contains => "contains",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::Replace => "replace",
            Self::Matches => "matches",
            Self::ReplaceAll => "replace_all",
            Self::Concat => "concat",
            Self::Substring => "substring",
            Self::Jaccard => "jaccard",
            _ => self.time_name(),
        }
    }

    fn time_name(self) -> &'static str {
        match self {
            Self::Year | Self::YearIn => "year",
            Self::Month | Self::MonthIn => "month",
            Self::Day | Self::DayIn => "day",
            Self::Weekday | Self::WeekdayIn => "weekday",
            Self::Hour | Self::HourIn => "hour",
            Self::Minute | Self::MinuteIn => "minute",
            Self::Date | Self::DateIn => "date",
            Self::Truncate | Self::TruncateTo | Self::TruncateToIn => "truncate",
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Hours => "hours",
            Self::Days => "days",
            // These stand in placeholders alone.
            Self::Fixed => "fixed",
            Self::Clock => "clock",
            Self::Human => "human",
            Self::Plural => "plural",
            _ => "",
        }
    }
}
