//! Arguments taken apart: options with and without values, and the rest.

use super::word::Word;

/// Which options of a program take a value.
#[derive(Clone, Copy, Default)]
pub(super) struct Spec<'s> {
    /// Letters, as in `-o FILE`.
    pub(super) letters: &'static str,
    /// Long ones, as in `--output FILE`, without the dashes.
    pub(super) words: &'s [&'static str],
    /// Whether options end at the first argument that is none: those after it are another program's, so that long ones are
    /// spelled out here alone.
    pub(super) stops: bool,
}

/// Arguments taken apart.
#[derive(Default)]
pub(super) struct Taken {
    /// Options and, where they have one, their value.
    pub(super) options: Vec<(String, Option<Word>)>,
    /// The rest, in order.
    pub(super) rest: Vec<Word>,
}

impl Taken {
    /// The values of an option under any of its names.
    pub(super) fn values<'t>(&'t self, names: &'t [&str]) -> impl Iterator<Item = &'t Word> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// Whether an option is there under any of its names.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }
}

/// Takes arguments apart.
pub(super) fn take(arguments: &[Word], spec: Spec<'_>) -> Taken {
    let known = if spec.stops { spec.words } else { &[] };
    let mut taken = Taken::default();
    let mut left = arguments.iter();
    while let Some(word) = left.next() {
        let text = word.text.as_str();
        if text == "--" {
            taken.rest.extend(left.cloned());
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (whole(name, known), Some(word.part(value))),
                None => {
                    let name = whole(long, known);
                    let value = if spec.words.contains(&name) { left.next().cloned() } else { None };
                    (name, value)
                }
            };
            taken.options.push((format!("--{name}"), value));
        } else if let Some(short) = text.strip_prefix('-').filter(|short| !short.is_empty()) {
            letters(word, short, spec, &mut left, &mut taken);
        } else {
            taken.rest.push(word.clone());
            if spec.stops {
                taken.rest.extend(left.cloned());
                break;
            }
        }
    }
    taken
}

/// A long option by its whole name, without the dashes: what a name of those that matter begins with may mean that one.
fn whole<'n>(name: &'n str, known: &[&'n str]) -> &'n str {
    if name.is_empty() || known.contains(&name) {
        return name;
    }
    known.iter().find(|known| known.starts_with(name)).unwrap_or(&name)
}

/// The words of a command with its long options by their whole names.
pub(super) fn spelled_out(words: &[Word], known: &[&'static str]) -> Vec<Word> {
    let mut is_over = false;
    let each = |word: &Word| {
        is_over |= word.text == "--";
        let Some(long) = word.text.strip_prefix("--").filter(|_| !is_over) else { return word.clone() };
        let (name, value) = long.split_at(long.find('=').unwrap_or(long.len()));
        Word { text: format!("--{}{value}", whole(name, known)), ..word.clone() }
    };
    words.iter().map(each).collect()
}

/// The arguments of `npm` with its subcommand by its whole name: it has many, and any of them may be cut short.
pub(super) fn whole_verb(arguments: &[Word]) -> Vec<Word> {
    let words = &["prefix", "workspace", "registry", "loglevel", "tag", "otp", "cache", "userconfig"];
    let taken = take(arguments, Spec { letters: "Cw", words, stops: true });
    let Some(verb) = taken.rest.first() else { return arguments.to_vec() };
    let whole = match verb.text.as_str() {
        "i" | "in" | "ins" | "inst" | "insta" | "instal" | "isnt" | "isnta" | "isntal" | "isntall"
        | "add" => "install",
        "ic" | "install-clean" | "isntall-clean" => "ci",
        "it" | "cit" | "sit" => "install-test",
        "up" | "udpate" | "upgrade" => "update",
        "x" => "exec",
        "create" | "innit" => "init",
        verb if verb.len() > 2 => {
            let known =
                &["publish", "unpublish", "explore", "update", "exec", "init", "install", "clean-install"];
            match whole(verb, known) {
                "clean-install" => "ci",
                verb => verb,
            }
        }
        verb => verb,
    };
    let at = arguments.iter().position(|word| word == verb);
    let mut all = arguments.to_vec();
    if let Some(word) = at.and_then(|at| all.get_mut(at)) {
        word.text = whole.to_owned();
    }
    all
}

fn letters<'w>(
    word: &Word,
    short: &str,
    spec: Spec<'_>,
    left: &mut impl Iterator<Item = &'w Word>,
    taken: &mut Taken,
) {
    for (at, letter) in short.char_indices() {
        if spec.letters.contains(letter) {
            let rest = short.get(at + letter.len_utf8()..).unwrap_or_default();
            let value = if rest.is_empty() { left.next().cloned() } else { Some(word.part(rest)) };
            taken.options.push((format!("-{letter}"), value));
            return;
        }
        taken.options.push((format!("-{letter}"), None));
    }
}
