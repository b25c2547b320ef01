//! From a path or a text to facts: the file's limits, its encoding, its format.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;
use std::string::FromUtf8Error;

use hence_core::diagnostic::Diagnostic;
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::file;
use hence_core::span::Sources;

use super::faults::{Faults, Unread, span};
use super::format::FactFormat;
use super::plain::Mapping;
use super::reader::Reader;
use super::schemas::Schemas;
use super::{codes, json_lines, parts, table};

/// How large a fact file may be, in bytes.
pub(crate) const FILE_LIMIT: u64 = file::LARGEST_TEXT;

/// The facts of the file at `path`, in its order; duplicates included.
///
/// # Errors
/// Every fault of the file (the first hundred, and how many more there are). Its text is then among `sources`.
pub fn read(sources: &mut Sources, path: &Path, schemas: &Schemas<'_>) -> Result<Vec<Fact>, Unread> {
    let mut facts = Vec::new();
    file(sources, path, schemas, &mut facts)?;
    Ok(facts)
}

/// Adds the facts of the file at `path`.
fn file(
    sources: &mut Sources,
    path: &Path,
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
) -> Result<(), Unread> {
    let Some(format) = FactFormat::of(path) else {
        // What can't be read under any name isn't helped by another one.
        file::open(path).map_err(|error| unreadable(path, &error))?;
        return Err(unknown_format(path).into());
    };
    whole_file(sources, path, (format, None), schemas, facts)
}

fn whole_file(
    sources: &mut Sources,
    path: &Path,
    (format, mapping): (FactFormat, Option<&Mapping>),
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
) -> Result<(), Unread> {
    let bytes = read_bytes(path)?;
    let name = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => text_of(sources, (&name, &text, format, mapping), schemas, facts),
        Err(error) => Err(no_text(sources, &name, &error).into()),
    }
}

/// Adds the plain records of the file at `path` to `facts`: a table where it is called like one, else a JSON object a
/// line. After a fault, those added must be dropped.
///
/// # Errors
/// As [`read`].
pub fn read_records_into(
    sources: &mut Sources,
    path: &Path,
    mapping: &Mapping,
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
    counted: &mut dyn FnMut(usize),
) -> Result<(), Unread> {
    let format = FactFormat::of(path).unwrap_or(FactFormat::JsonLines);
    if format == FactFormat::JsonLines {
        let mut input = BufReader::new(file::open(path).map_err(|error| unreadable(path, &error))?);
        let name = path.display().to_string();
        return read_records_stream(sources, &name, &mut input, mapping, schemas, facts, counted);
    }
    let read = whole_file(sources, path, (format, Some(mapping)), schemas, facts);
    counted(facts.len());
    read
}

/// The facts of a text of plain records, a JSON object a line; `name` is what messages call it.
///
/// # Errors
/// As [`read`].
pub fn read_records_text(
    sources: &mut Sources,
    name: &str,
    text: &str,
    mapping: &Mapping,
    schemas: &Schemas<'_>,
) -> Result<Vec<Fact>, Unread> {
    let mut facts = Vec::new();
    text_of(sources, (name, text, FactFormat::JsonLines, Some(mapping)), schemas, &mut facts)?;
    Ok(facts)
}

/// The text of a rule file that holds only facts, for the caller to parse.
///
/// # Errors
/// What keeps the file from being read as text. Its text is then among `sources`.
pub fn read_rule_file(sources: &mut Sources, path: &Path) -> Result<String, Vec<Diagnostic>> {
    let bytes = read_bytes(path).map_err(|fault| vec![fault])?;
    String::from_utf8(bytes).map_err(|error| no_text(sources, &path.display().to_string(), &error))
}

/// The facts of a text. `name` is what messages call it; the base name of a CSV, TSV or `.facts` file is the
/// relation.
///
/// # Errors
/// As [`read`].
pub fn read_text(
    sources: &mut Sources,
    name: &str,
    text: &str,
    format: FactFormat,
    schemas: &Schemas<'_>,
) -> Result<Vec<Fact>, Unread> {
    let mut facts = Vec::new();
    text_of(sources, (name, text, format, None), schemas, &mut facts)?;
    Ok(facts)
}

/// Adds the facts of the file at `path` to `facts`; JSON Lines are read as [`read_stream`] reads them, however large
/// the file is. After a fault, those added must be dropped.
///
/// # Errors
/// As [`read`].
pub fn read_into(
    sources: &mut Sources,
    path: &Path,
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
    counted: &mut dyn FnMut(usize),
) -> Result<(), Unread> {
    let failed = |error| unreadable(path, &error);
    let file = file::open(path).map_err(failed)?;
    let large = file.metadata().map_err(failed)?.len() > STREAM_PART as u64;
    if large && FactFormat::of(path) == Some(FactFormat::JsonLines) {
        let mut input = BufReader::new(file);
        return read_stream(sources, &path.display().to_string(), &mut input, schemas, facts, counted);
    }
    let read = self::file(sources, path, schemas, facts);
    counted(facts.len());
    read
}

/// How many bytes of a stream a thread reads as one text.
const STREAM_PART: usize = 4 << 20;

/// Adds the facts of a stream in JSON Lines form, of any length, to `facts`: it is read in parts of whole lines.
/// `counted` receives after each part how many facts there are.
///
/// # Errors
/// As [`read`], but that only the lines with faults are among `sources`.
pub fn read_stream(
    sources: &mut Sources,
    name: &str,
    input: &mut dyn BufRead,
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
    counted: &mut dyn FnMut(usize),
) -> Result<(), Unread> {
    stream(sources, (name, input, None), schemas, facts, counted)
}

/// As [`read_stream`], of plain records.
///
/// # Errors
/// As [`read_stream`].
pub fn read_records_stream(
    sources: &mut Sources,
    name: &str,
    input: &mut dyn BufRead,
    mapping: &Mapping,
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
    counted: &mut dyn FnMut(usize),
) -> Result<(), Unread> {
    stream(sources, (name, input, Some(mapping)), schemas, facts, counted)
}

fn stream(
    sources: &mut Sources,
    (name, input, mapping): (&str, &mut dyn BufRead, Option<&Mapping>),
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
    counted: &mut dyn FnMut(usize),
) -> Result<(), Unread> {
    let mut reader = Reader::new(schemas, name, facts);
    let (mut first_line, mut bytes) = (1, Vec::new());
    loop {
        let line = input.take(FILE_LIMIT + 1).read_until(b'\n', &mut bytes);
        let length = line.map_err(|error| unreadable(Path::new(name), &error))?;
        let ended = length == 0;
        if bytes.len() < STREAM_PART * schemas.threads() && !ended {
            continue;
        }
        if length as u64 > FILE_LIMIT {
            let lines_before = bytes.iter().filter(|byte| **byte == b'\n').count();
            return Err(long_line(name, first_line + lines_before).into());
        }
        match String::from_utf8(std::mem::take(&mut bytes)) {
            Ok(text) => {
                let (begins, sound) = (first_line == 1, reader.faults().is_empty());
                let in_parts = || {
                    parts::read(schemas, &text, |reader, text, first| {
                        json_lines::read(reader, text, mapping, begins && first)
                    })
                };
                match sound.then(in_parts).flatten() {
                    Some(more) => reader.add(more),
                    None => json_lines::read(&mut reader, &text, mapping, begins),
                }
                reader.faults().tie_lines(sources, name, &text, first_line);
                first_line += text.matches('\n').count();
                counted(reader.count());
            }
            Err(error) => {
                reader.fault(not_utf8(name, &error));
                let text = String::from_utf8_lossy(error.as_bytes());
                reader.faults().tie_lines(sources, name, &text, first_line);
                return reader.finish();
            }
        }
        if ended || reader.is_stopped() {
            return reader.finish();
        }
    }
}

/// Adds the facts of a text.
fn text_of(
    sources: &mut Sources,
    (name, text, format, mapping): (&str, &str, FactFormat, Option<&Mapping>),
    schemas: &Schemas<'_>,
    facts: &mut Vec<Fact>,
) -> Result<(), Unread> {
    if text.len() as u64 > FILE_LIMIT {
        return Err(too_large(name).into());
    }
    let mut reader = Reader::new(schemas, name, facts);
    match format {
        FactFormat::JsonLines => json_lines::read(&mut reader, text, mapping, true),
        _ => table::read(&mut reader, text, Path::new(name), format, mapping),
    }
    reader.faults().tie(sources, name, text);
    reader.finish()
}

/// The bytes of a file that is not too large.
fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    file::read(path, FILE_LIMIT).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => too_large(&path.display().to_string()),
        _ => unreadable(path, &error),
    })
}

/// A path that can't be read, and why.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    let fault = Diagnostic::new(codes::UNREADABLE, file::unread(path, error));
    match error.kind() {
        io::ErrorKind::Unsupported => fault.help("`-` reads standard input: `… | hence … --facts -`"),
        _ => fault,
    }
}

fn too_large(name: &str) -> Diagnostic {
    Diagnostic::new(codes::TOO_LARGE, format!("`{name}` is larger than {} MiB", FILE_LIMIT >> 20))
        .help("split it into several files and name their folder")
}

fn unknown_format(path: &Path) -> Diagnostic {
    let message = format!("unsupported extension of `{}`", path.display());
    let fault = Diagnostic::new(codes::UNKNOWN_FORMAT, message)
        .note("fact files end in `.jsonl`, `.csv`, `.tsv`, `.facts` or `.dl`");
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json" | "ndjson") => fault.help("if each line is a JSON object, rename it to `.jsonl`"),
        _ => fault,
    }
}

fn long_line(name: &str, line: usize) -> Diagnostic {
    let message = format!("line {line} of `{name}` is longer than {} MiB", FILE_LIMIT >> 20);
    Diagnostic::new(codes::TOO_LARGE, message).help("write one fact per line")
}

/// What keeps bytes from being read as text, tied to the text that they nearly are.
fn no_text(sources: &mut Sources, name: &str, error: &FromUtf8Error) -> Vec<Diagnostic> {
    let mut faults = Faults::default();
    faults.push(not_utf8(name, error));
    faults.tie(sources, name, &String::from_utf8_lossy(error.as_bytes()));
    faults.finish().err().or_broken("a fault that was put in is there")
}

fn not_utf8(name: &str, error: &FromUtf8Error) -> Diagnostic {
    let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let byte = bytes.get(at).copied().or_broken("the text has a byte that is not UTF-8");
    Diagnostic::new(codes::NOT_UTF8, format!("`{name}` is not UTF-8"))
        .at(span(at, at + char::REPLACEMENT_CHARACTER.len_utf8()), format!("the byte `0x{byte:02x}`"))
        .help(format!("convert it: `iconv -f ISO-8859-1 -t UTF-8 {name}`"))
}
