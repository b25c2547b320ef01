//! `hence check-proof`: whether a proof holds, against the rules alone, a head or the whole ledger.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::Value as Json;

use hence_core::file::{self, LARGEST_TEXT};
use hence_core::{meter, unique};
use hence_ledger::Hash;
use hence_proof::check::{Accepted, Known, ProofRefusal, check};
use hence_session::{Ground, RuleSet};

use super::options::{FactOptions, RuleOptions, duration};
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, diagnostics, head, open, output, terminal, time};

/// Check a proof printed by `why --format json`, independently of the proof finder
///
/// Without a ledger, what only a ledger can tell is taken on trust and listed, and the exit status is 4.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: hence why 'tool(\"web_search\")' --format json | hence check-proof --store .hence"
)]
pub(super) struct CheckProof {
    /// Files with one proof per line [default: standard input]
    proofs: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    /// Check everything against the ledger in this folder, which is verified first
    #[arg(long, value_name = "DIR", conflicts_with = "head")]
    store: Option<PathBuf>,
    /// Wait this long for another process to finish with the ledger; `0s` fails at once [default: 5s, and
    /// 1m for a turn where one serves the ledger]
    #[arg(long, value_name = "DURATION", value_parser = duration, requires = "store")]
    wait: Option<Duration>,
    /// The head that the proofs have to name: a hash, or the file of a note of `hence head`
    #[arg(long, value_name = "HASH|NOTE")]
    head: Option<String>,
    /// Exit with 0 although some of the proof is taken on trust
    #[arg(long)]
    trust_leaves: bool,
}

/// What proofs are checked against.
enum Against {
    /// The rules alone.
    Rules(Box<RuleSet>),
    /// The rules, and a head of the ledger.
    Head(Box<RuleSet>, Hash),
    /// A ledger.
    Ledger(Box<Ground>),
}

/// How many proofs came to what.
#[derive(Default)]
struct Tally {
    refused: usize,
    on_trust: usize,
}

impl CheckProof {
    pub(super) fn run(self) -> Outcome {
        let Some(mut against) = self.against()? else { return Ok(NO) };
        let mut tally = Tally::default();
        if self.proofs.is_empty()
            && check_all(&mut against, "<stdin>", &mut io::stdin().lock(), &mut tally)? == 0
        {
            return Err(no_proof("on standard input"));
        }
        for path in &self.proofs {
            let file = file::open(path).map_err(|error| Failure::Usage(file::unread(path, &error)))?;
            let name = path.display().to_string();
            if check_all(&mut against, &name, &mut BufReader::new(file), &mut tally)? == 0 {
                return Err(no_proof(&format!("in `{name}`")));
            }
        }
        Ok(match tally {
            Tally { refused: 1.., .. } => NO,
            Tally { on_trust: 1.., .. } if !self.trust_leaves => UNDETERMINED,
            _ => DONE,
        })
    }

    /// What the options name; `None` where the ledger doesn't verify, which is told.
    fn against(&self) -> Result<Option<Against>, Failure> {
        let rules = self.rules.source().build()?;
        if let Some(text) = &self.head {
            let noted = || Ok::<_, Failure>(head::read_note(Path::new(text))?.checkpoint.head);
            let head = Hash::parse(text).map_or_else(noted, Ok)?;
            return Ok(Some(Against::Head(Box::new(rules), head)));
        }
        let Some(store) = &self.store else { return Ok(Some(Against::Rules(Box::new(rules)))) };
        let facts = FactOptions::of_store(Some(store.clone()), self.wait);
        facts.existing_store("")?;
        let ledger = open::settled(&facts)?;
        if let Some(difference) = open::difference(&ledger)? {
            output::error(&format!("the ledger does not verify: {difference}; `hence verify` tells all"));
            return Ok(None);
        }
        Ok(Some(Against::Ledger(Box::new(Ground::new(ledger, rules, time::wall_clock())))))
    }
}

impl Against {
    fn check(&mut self, proof: &Json) -> Result<Result<Accepted, ProofRefusal>, Failure> {
        match self {
            Self::Rules(rules) => Ok(by_rules(rules, proof)),
            Self::Head(rules, head) => match names(proof, "head", &head.to_string()) {
                Ok(()) => Ok(by_rules(rules, proof)),
                Err(message) => Ok(Err(ProofRefusal { step: None, message })),
            },
            Self::Ledger(ground) => Ok(ground.check(proof)?),
        }
    }
}

/// Whether a proof's ledger has this member.
fn names(proof: &Json, member: &str, right: &str) -> Result<(), String> {
    match proof.get("ledger").and_then(|ledger| ledger.get(member)) {
        Some(Json::String(given)) if given == right => Ok(()),
        Some(given) => Err(format!("`{member}` of `ledger` is {given}, expected {right}")),
        None => Err(String::from("it names no ledger")),
    }
}

/// Checks a proof against the rules alone; one that names other rules is refused.
fn by_rules(rules: &RuleSet, proof: &Json) -> Result<Accepted, ProofRefusal> {
    let known = Known { sources: Some(&rules.sources), ..Known::default() };
    let accepted = check(&rules.program, proof, &known)?;
    if proof.get("ledger").is_some() {
        let others = |_| ProofRefusal { step: None, message: String::from("its rules are not these") };
        names(proof, "rules", &rules.recorded().hash().to_string()).map_err(others)?;
    }
    Ok(accepted)
}

/// The error for an input without a proof: that nothing was refused must not pass for a check.
fn no_proof(place: &str) -> Failure {
    Failure::Usage(format!(
        "no proof {place}; expected one per line, as `hence why … --format json` prints for what holds"
    ))
}

/// Checks the proofs of one input, line by line; how many there were.
fn check_all(
    against: &mut Against,
    name: &str,
    input: &mut dyn BufRead,
    tally: &mut Tally,
) -> Result<usize, Failure> {
    let (mut line, mut proofs) = (Vec::new(), 0);
    for number in 1.. {
        let place = format!("{name}:{number}");
        meter::check("checking proofs")?;
        line.clear();
        let unreadable = |error| Failure::Usage(format!("{place}: it can't be read: {error}"));
        let read = (&mut *input).take(LARGEST_TEXT + 1).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read as u64 > LARGEST_TEXT {
            let most = LARGEST_TEXT >> 20;
            return Err(Failure::Usage(format!("{place}: the proof is larger than {most} MiB")));
        }
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        proofs += 1;
        let proof = unique::parse(&line)
            .map_err(|error| Failure::Usage(format!("{place}: invalid JSON: {error}")))?;
        match against.check(&proof)? {
            Ok(accepted) => tally.accept(&accepted, &place)?,
            Err(refusal) => tally.refuse(&refusal, &proof, against, &place)?,
        }
    }
    Ok(proofs)
}

impl Tally {
    fn accept(&mut self, accepted: &Accepted, place: &str) -> io::Result<()> {
        let mut out = terminal::text();
        let steps = diagnostics::count(accepted.steps, "step");
        let trusted = match accepted.on_trust.len() {
            0 => String::from("nothing on trust"),
            1 => String::from("1 thing on trust"),
            many => format!("{many} things on trust"),
        };
        writeln!(out, "{place}: accepted, {steps}, {trusted}")?;
        self.on_trust += accepted.on_trust.len();
        accepted.on_trust.iter().try_for_each(|trust| writeln!(out, "    on trust: {trust}"))
    }

    fn refuse(
        &mut self,
        refusal: &ProofRefusal,
        proof: &Json,
        against: &Against,
        place: &str,
    ) -> io::Result<()> {
        self.refused += 1;
        writeln!(terminal::text(), "{place}: refused: {refusal}")?;
        let (Against::Rules(rules) | Against::Head(rules, _)) = against else { return Ok(()) };
        let by = proof.get("ledger").or(proof.get("as_of")).and_then(|named| named.get("rules")?.as_str());
        if by.is_some_and(|by| by != rules.recorded().hash().to_string()) {
            output::note(&format!("{place}: it was made with other rules or other parameters"));
        }
        Ok(())
    }
}
