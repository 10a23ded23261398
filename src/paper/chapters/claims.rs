//! The claims: one table of verdicts, and the evidence for each.

use super::super::claims::{CLAIMS, Claim, Finding, Verdict};
use super::super::document::{Chapter, Part, Table};
use super::super::found::OnData;
use super::super::published::{closest, robustness};
use super::named;
use crate::report::list;

/// The data sets on which a claim could be checked, with what was found.
fn findings_of<'a>(claim: &Claim, all: &'a [OnData]) -> Vec<(&'a OnData, Vec<Finding>)> {
    let found = all.iter().map(|data| (data, claim.findings(data)));
    found.filter(|(_, findings)| !findings.is_empty()).collect()
}

/// A line for each claim, a column for each data set.
pub fn chapter(all: &[OnData]) -> Chapter {
    let columns: Vec<&OnData> = all.iter().filter(|data| CLAIMS.iter().any(|claim| !claim.findings(data).is_empty())).collect();
    let row = |claim: &Claim| {
        let verdict = |data: &&OnData| {
            let findings = claim.findings(data);
            let details = Verdict::details(&findings).map_or(String::new(), |details| format!(" ({details})"));
            match Verdict::of(&findings) {
                Verdict::NotRun => "–".into(),
                verdict => format!("**{}**{details}", verdict.words()),
            }
        };
        [claim.says.to_string()].into_iter().chain(columns.iter().map(verdict)).collect()
    };
    let head = ["the paper says".to_string()].into_iter().chain(columns.iter().map(|data| named(data))).collect();
    let n_words = columns.len() + 1;
    let table = Table { head, rows: CLAIMS.iter().map(row).collect(), n_words };
    let how = "Each claim is a check; its rule and the numbers follow below. Rules about the table of robustness were chosen so that the paper's own figures pass them, the others by what the \
               paper says in words; three were made stricter when first runs on MQ2008 were known (which rule is the best, α over the whole run, and the error of the sessions needed). **Holds** and **does not hold** mean so under every reading of the paper that was run; **depends on the reading** means that one \
               reading confirms and another refutes it; **cannot be told** means that intervals are too wide or seeds too few under some reading. A dash: the experiment was not run on this data. Literal and \
               detached have the same runs under LIE, IPM and ADAPT, so their agreement there is not two confirmations.";
    Chapter::new("claims", "The paper's claims", vec![Part::text(how), Part::Table(table)])
}

/// Rule and evidence of each claim.
pub fn evidence(all: &[OnData]) -> Chapter {
    let mut parts = vec![Part::text(
        "Intervals are by Student's t, 95 %, over paired seeds, or over folds where each fold counts once; n is the number of pairs. Over seeds they say how sure a figure is on this one split of the \
         data. Folds share training queries, so theirs are somewhat too narrow. They are not adjusted for the number of claims. Where a rule can be applied to the paper's own table, it was.",
    )];
    for claim in CLAIMS {
        parts.push(Part::Heading(claim.says.into()));
        parts.push(Part::text(format!("Rule: {}", claim.rule)));
        let mut lines: Vec<String> = findings_of(claim, all).iter().flat_map(|(data, findings)| lines(data, findings)).collect();
        if lines.is_empty() {
            lines.push(format!("Not run: `rankguard paper run {}` does it.", claim.experiment));
        }
        parts.push(Part::List(lines.into_iter().chain(own(claim, all)).collect()));
    }
    Chapter::new("evidence", "The evidence for each claim", parts)
}

fn lines(data: &OnData, findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let reading = if finding.reading.is_empty() { String::new() } else { format!(", {}", finding.reading) };
        format!("{}{reading}: **{}**. {}", named(data), finding.answer.words(), sentence(&finding.evidence))
    };
    findings.iter().map(line).collect()
}

/// With a capital letter and a full stop; a formula keeps its first letter.
fn sentence(text: &str) -> String {
    let mut signs = text.chars();
    let first: String =
        signs.next().map_or(String::new(), |first| if first.is_ascii() { first.to_uppercase().collect() } else { first.into() });
    format!("{first}{}.", signs.as_str())
}

/// What the rule says of the paper's own figures for the sets that are shown beside ours.
fn own(claim: &Claim, all: &[OnData]) -> Option<String> {
    let mut sets: Vec<&str> = all.iter().map(|data| closest(data.set())).collect();
    sets.sort_unstable();
    sets.dedup();
    let said = |set: &&str| Some(format!("{set} {}", claim.on_the_papers_figures(&robustness(set)?)?.evidence));
    let texts: Vec<String> = sets.iter().filter_map(said).collect();
    (!texts.is_empty()).then(|| format!("The paper's own table: {}.", texts.join("; ")))
}

/// The data set that the opening speaks of: a real one if there is any, the one with most claims, and then with most runs.
fn main_set(all: &[OnData]) -> Option<&OnData> {
    let told = |data: &OnData| CLAIMS.iter().filter(|claim| !claim.findings(data).is_empty()).count();
    let rank = |data: &&OnData| (data.caution.is_none(), told(data), data.outcomes.len());
    all.iter().filter(|data| data.unit == "seed" && told(data) > 0).max_by_key(rank)
}

/// How many claims come out how on the main data set. What follows from definitions does not count.
pub fn headline(all: &[OnData]) -> String {
    let Some(data) = main_set(all) else { return "Nothing that was run bears on a claim of the paper.".into() };
    let counted = CLAIMS.iter().filter(|claim| !claim.is_arithmetic);
    let verdicts: Vec<Verdict> = counted.map(|claim| Verdict::of(&claim.findings(data))).collect();
    let n = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let some = |n: usize, one: &str, many: &str| (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }));
    let rest = [
        some(n(Verdict::DoesNotHold), "does not", "do not"),
        some(n(Verdict::Depends), "depends on the reading", "depend on the reading"),
        some(n(Verdict::CannotBeTold), "cannot be told", "cannot be told"),
        some(n(Verdict::NotRun), "was not run", "were not run"),
    ];
    let rest: Vec<String> = rest.into_iter().flatten().collect();
    let rest = if rest.is_empty() { String::new() } else { format!("; {}", list(&rest)) };
    format!("On {}, {} of {} of the paper's claims hold{rest}.", named(data), n(Verdict::Holds), verdicts.len())
}

/// Claims that fail or depend on the reading there, by name.
pub fn findings(all: &[OnData]) -> Vec<String> {
    let Some(data) = main_set(all) else { return Vec::new() };
    let line = |verdict: Verdict| {
        let here = CLAIMS.iter().filter(move |claim| Verdict::of(&claim.findings(data)) == verdict);
        here.map(move |claim| format!("{}: {}", capital(verdict.words()), claim.says))
    };
    [Verdict::DoesNotHold, Verdict::Depends].into_iter().flat_map(line).collect()
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or(String::new(), |first| first.to_uppercase().chain(signs).collect())
}
