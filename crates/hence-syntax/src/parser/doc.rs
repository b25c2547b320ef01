//! Doc comments: the `##` lines directly before an item.

use super::super::tree::{Comment, Doc};
use super::Parser;
use crate::part;
use hence_core::fault::OrBroken;

/// An invariant of comments.
const PLACES: &str = "comments stand in their text, in its order";

impl Parser<'_> {
    /// Takes the doc comment that ends directly before byte `item` out of the comments. Plain comments may
    /// are between its lines; a blank line ends it.
    pub(super) fn doc(&mut self, item: u32) -> Doc {
        let comments = &self.lexer.comments;
        let end = comments.partition_point(|comment| comment.span.end <= item);
        let mut start = end;
        let mut below = item;
        while let Some(comment) = start.checked_sub(1).and_then(|at| comments.get(at)) {
            let gap = part(self.text, comment.span.end as usize..below as usize);
            if !comment.own_line || !gap.trim_start().is_empty() || gap.matches('\n').count() != 1 {
                break;
            }
            below = comment.span.start;
            start -= 1;
        }
        let block: Vec<Comment> = comments.get(start..end).or_broken(PLACES).to_vec();
        let text = |comment: &Comment| part(self.text, comment.span.range());
        let lines: Vec<String> =
            block.iter().filter_map(|comment| doc_line(text(comment))).map(str::to_owned).collect();
        let plain: Vec<Comment> =
            block.iter().filter(|comment| doc_line(text(comment)).is_none()).copied().collect();
        if !lines.is_empty() {
            self.lexer.comments.splice(start..end, plain);
        }
        Doc { lines }
    }
}

/// The text of a `##` comment, without the signs and one space.
pub(crate) fn doc_line(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix("##").filter(|rest| !rest.starts_with('#'))?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}
