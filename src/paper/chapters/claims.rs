//! The claims: one table of verdicts, and the evidence for each.

use super::super::claims::{Answer, CLAIMS, Claim, Finding, Verdict};
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
            let verdict = Verdict::of(&claim.findings(data));
            if verdict == Verdict::NotRun { "–".into() } else { format!("**{}**", verdict.words()) }
        };
        [claim.says.to_string()].into_iter().chain(columns.iter().map(verdict)).collect()
    };
    let head = ["the paper says".to_string()].into_iter().chain(columns.iter().map(|data| named(data))).collect();
    let n_words = columns.len() + 1;
    let table = Table { head, rows: CLAIMS.iter().map(row).collect(), n_words };
    let how = "Each claim is a check; its rule and the numbers follow below. Rules were chosen so that the paper's own table passes them, and not by what these runs say. **Holds** and **does not hold** mean \
               so under every reading of the paper that was run; **depends on the reading** means that one reading confirms and another refutes it; **cannot be told** that \
               intervals are too wide or seeds too few. A dash: the experiment was not run on this data.";
    Chapter::new("claims", "The paper's claims", vec![Part::text(how), Part::Table(table)])
}

/// Rule and evidence of each claim.
pub fn evidence(all: &[OnData]) -> Chapter {
    let mut parts = vec![Part::text(
        "Intervals hold the truth 95 % of the time, over paired seeds, or over folds where each fold counts once; n is the number of pairs. They are not adjusted for the \
         number of claims. Where a rule can be applied to the paper's own table, it was: a rule that the paper's figures fail would say nothing about ours.",
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
        format!("{}{reading}: **{}**. {}", named(data), answer(finding.answer), sentence(&finding.evidence))
    };
    findings.iter().map(line).collect()
}

fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Open => "open",
    }
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

/// How many claims come out how on each set of real data, or of all data if none is real.
pub fn headline(all: &[OnData]) -> String {
    let real: Vec<&OnData> = all.iter().filter(|data| data.caution.is_none()).collect();
    let best = |sets: Vec<&OnData>| -> Option<String> {
        let told = |data: &&OnData| CLAIMS.iter().filter(|claim| !claim.findings(data).is_empty()).count();
        let data = sets.into_iter().rev().max_by_key(told)?; // the first of those with most claims
        let verdicts: Vec<Verdict> =
            CLAIMS.iter().map(|claim| Verdict::of(&claim.findings(data))).filter(|v| *v != Verdict::NotRun).collect();
        let n = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
        let some = |n: usize, text: &str| (n > 0).then(|| format!("{n} {text}"));
        let several = |n: usize, one: &'static str, many: &'static str| if n == 1 { one } else { many };
        let (no, depends) = (n(Verdict::DoesNotHold), n(Verdict::Depends));
        let rest = [
            some(no, several(no, "does not", "do not")),
            some(depends, several(depends, "depends on the reading", "depend on the reading")),
            some(n(Verdict::CannotBeTold), "cannot be told"),
        ];
        let rest: Vec<String> = rest.into_iter().flatten().collect();
        let rest = if rest.is_empty() { String::new() } else { format!("; {}", list(&rest)) };
        Some(format!("On {}, {} of {} of the paper's claims hold{rest}.", named(data), n(Verdict::Holds), verdicts.len()))
    };
    let nothing = || "Nothing that was run bears on a claim of the paper.".to_string();
    if real.iter().any(|data| CLAIMS.iter().any(|claim| !claim.findings(data).is_empty())) {
        best(real).unwrap_or_else(nothing)
    } else {
        best(all.iter().collect()).unwrap_or_else(nothing)
    }
}

/// Claims that fail or depend on the reading on real data, by name.
pub fn findings(all: &[OnData]) -> Vec<String> {
    let Some(data) = all.iter().filter(|data| data.unit == "seed" && data.caution.is_none()).max_by_key(|data| data.outcomes.len()) else {
        return Vec::new();
    };
    let of = |wanted: Verdict| CLAIMS.iter().filter(move |claim| Verdict::of(&claim.findings(data)) == wanted).map(|claim| claim.says);
    let line = |verdict: Verdict| move |says: &str| format!("{} on {}: {says}", capital(verdict.words()), data.label);
    of(Verdict::DoesNotHold).map(line(Verdict::DoesNotHold)).chain(of(Verdict::Depends).map(line(Verdict::Depends))).collect()
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or(String::new(), |first| first.to_uppercase().chain(signs).collect())
}
