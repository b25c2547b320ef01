//! Lines of output with their places in the source, and the comments put back between them.

use std::borrow::Cow;

use super::super::parser::doc_line;
use super::super::tree::Comment;
use crate::part;
use hence_core::literal::visible_but;

/// How many characters a line should have at most.
pub(super) const WIDTH: usize = 100;

/// One line of output.
pub(super) struct Line {
    /// Where what it shows begins in the source; comments before that precede it.
    pub(super) at: u32,
    /// How far it is indented.
    pub(super) indent: usize,
    /// Its text.
    pub(super) text: String,
    /// Whether a blank line of the source before it is kept.
    pub(super) keeps_blank: bool,
    /// How far comments before it are indented.
    pub(super) comment_indent: usize,
    /// Whether a `##` line directly above it would be taken for its documentation.
    pub(super) takes_doc: bool,
}

impl Line {
    /// A line of something larger.
    pub(super) fn new(at: u32, indent: usize, text: impl Into<String>) -> Self {
        Self { at, indent, text: text.into(), keeps_blank: false, comment_indent: indent, takes_doc: false }
    }

    /// A line that closes something: comments before it are indented as what it closes.
    pub(super) fn closing(at: u32, indent: usize, text: impl Into<String>) -> Self {
        Self { comment_indent: indent + 4, ..Self::new(at, indent, text) }
    }
}

/// Output, and the comments that are still to be put in.
pub(super) struct Output<'a> {
    text: &'a str,
    comments: &'a [Comment],
    out: String,
    /// Whether the last line of the output is a comment, or ends with one.
    after_comment: bool,
    /// Whether a `##` comment is in the lines above, up to a blank line.
    below_doc: bool,
}

/// The text of a comment, in which nothing is hidden: what a reader of the file doesn't see, no reviewer does.
fn shown(text: &str) -> Cow<'_, str> {
    visible_but(text, &['\n', '\r', '\t'])
}

impl<'a> Output<'a> {
    pub(super) fn new(text: &'a str, comments: &'a [Comment]) -> Self {
        let out = String::with_capacity(text.len() + text.len() / 8);
        Self { text, comments, out, after_comment: false, below_doc: false }
    }

    /// Adds a line, and before it the comments that precede it.
    pub(super) fn line(&mut self, line: &Line) {
        self.comments_before(line.at, line.comment_indent, line.keeps_blank);
        let forced = line.takes_doc && self.below_doc;
        self.begin_line(forced || line.keeps_blank && self.blank_before(line.at), line.indent);
        self.out.push_str(&line.text);
        self.after_comment = false;
        self.below_doc = false;
    }

    /// Adds documentation that begins at `at` in the source.
    pub(super) fn doc(&mut self, lines: &[String], at: u32) {
        self.comments_before(at, 0, true);
        let mut blank = self.below_doc || self.blank_before(at);
        for line in lines {
            self.begin_line(blank, 0);
            self.out.push_str("##");
            if !line.is_empty() {
                self.out.push(' ');
                self.out.push_str(&shown(line));
            }
            blank = false;
        }
        self.after_comment = true;
        self.below_doc = false;
    }

    /// Adds the comments that begin before `at`.
    pub(super) fn comments_before(&mut self, at: u32, indent: usize, keeps_blank: bool) {
        while let Some((comment, rest)) =
            self.comments.split_first().filter(|(first, _)| first.span.start < at)
        {
            self.comments = rest;
            let text = part(self.text, comment.span.range());
            if comment.own_line || self.after_comment || self.out.is_empty() {
                self.begin_line(keeps_blank && self.blank_before(comment.span.start), indent);
                self.below_doc |= doc_line(text).is_some();
            } else {
                self.out.push(' ');
            }
            self.out.push_str(&shown(text));
            self.after_comment = true;
        }
    }

    /// Ends the output.
    pub(super) fn finish(mut self) -> String {
        self.comments_before(u32::MAX, 0, true);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn begin_line(&mut self, blank: bool, indent: usize) {
        if !self.out.is_empty() {
            self.out.push_str(if blank { "\n\n" } else { "\n" });
            self.below_doc &= !blank;
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Whether a blank line is before byte `at` of the source.
    fn blank_before(&self, at: u32) -> bool {
        let before = part(self.text, ..at as usize);
        let gap = before.len() - before.trim_end().len();
        part(before, before.len() - gap..).matches('\n').count() > 1
    }
}
