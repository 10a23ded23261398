//! The files under `scenarios/` are the project's examples: they parse, and their reference names everything a scenario can say.

use super::brackets::{self, Mistake};
use super::hints::{ATTACKS, HINTS, Hint};
use super::parse::ron_options;
use super::parse::tests::good;
use super::{Scenario, Start};
use crate::adversary::{Attack, IpmForm, LieZ, MaliciousAggregate, Part, Survey};
use crate::corpus::{Dataset, Normalize, Shape, Users};
use crate::network::{
    Absence, Arrivals, Bandwidth, Bursts, Churn, Crowd, Day, Durations, End, Fanout, Fault, Groups, Identity, InFlight, Jitter, Latency,
    Measures, Missing, PeerPool, Phase, Rates, Region, Regions, Sequence, Sharing, Sittings, State, Timers, Unit, Unreached, What, Who,
    Zones,
};
use crate::network::{Active, Attackers, Join, Knowledge, Meanwhile};
use crate::node::defend::pooled::{Center, Divisor};
use crate::node::defend::{Assumed, Own};
use crate::node::{Defense, EmptySessions, Keep, Ranker};
use crate::record::{Models, Record, Sampling};
use crate::units::Extent;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../../scenarios/README.md");

/// All names that a type or one of its choices knows, by asking it for one it does not.
fn names<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> &'static [&'static str] {
    match ron_options().from_str::<T>(text).expect_err("nothing is called so").code {
        ron::Error::NoSuchStructField { expected, .. } | ron::Error::NoSuchEnumVariant { expected, .. } => expected,
        _ => &[],
    }
}

/// The choices of an enum and the fields of each.
fn choices<T: DeserializeOwned + std::fmt::Debug>() -> Vec<&'static str> {
    let variants = names::<T>("Unheard");
    assert!(!variants.is_empty());
    variants.iter().flat_map(|variant| [variant].into_iter().chain(names::<T>(&format!("{variant}(unheard: 1)")))).copied().collect()
}

/// Every choice of an enum that has fields, with their names.
fn fields_of<T: DeserializeOwned + std::fmt::Debug>() -> Vec<(&'static str, &'static [&'static str])> {
    names::<T>("Unheard").iter().map(|variant| (*variant, names::<T>(&format!("{variant}(unheard: 1)")))).collect()
}

fn scenario_files() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")];
    let mut files = vec![];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("scenarios are there") {
            let path = entry.expect("a readable folder").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "ron" => files.push(path),
                _ => {}
            }
        }
    }
    files
}

/// A good scenario with one field written as `line`.
fn with(line: &str) -> Result<Scenario, Mistake> {
    let field = format!("    {}", &line[..=line.find(':').expect("a field")]);
    let others: String = good().canonical().lines().filter(|l| !l.starts_with(&field) && *l != ")").map(|l| format!("{l}\n")).collect();
    brackets::from_str(&format!("{others}{line})"))
}

#[test]
fn every_shipped_scenario_is_good_and_listed() {
    let files = scenario_files();
    assert!(files.len() >= 2);
    for path in files {
        Scenario::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let name = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).expect("it is below");
        assert!(README.contains(&format!("({})", name.display())), "{} is not in scenarios/README.md", name.display());
    }
}

#[test]
fn the_reference_names_every_field_and_choice() {
    let mut all = names::<Scenario>("(unheard: 1)").to_vec();
    all.extend(names::<Record>("(unheard: 1)"));
    all.extend(names::<crate::network::Peers>("(unheard: 1)"));
    all.extend([names::<Attackers>("(unheard: 1)"), names::<Part>("(unheard: 1)")].concat());
    all.extend([choices::<Active>(), choices::<Join>(), choices::<Meanwhile>()].concat());
    all.extend([choices::<Dataset>(), choices::<Normalize>(), choices::<Shape>(), choices::<Users>(), choices::<Ranker>()].concat());
    all.extend(
        [
            choices::<Defense>(),
            choices::<EmptySessions>(),
            choices::<Assumed>(),
            choices::<Center>(),
            choices::<Divisor>(),
            choices::<Own>(),
            choices::<Keep>(),
            choices::<Attack>(),
            choices::<LieZ>(),
            choices::<IpmForm>(),
            choices::<Survey>(),
            choices::<Knowledge>(),
        ]
        .concat(),
    );
    all.extend([choices::<MaliciousAggregate>(), choices::<Arrivals>(), choices::<Latency>(), choices::<Churn>()].concat());
    all.extend([choices::<Durations>(), choices::<PeerPool>(), choices::<Fanout>(), choices::<Sampling>(), choices::<Models>()].concat());
    all.extend([names::<Sittings>("(unheard: 1)"), names::<Day>("(unheard: 1)")].concat());
    all.extend([choices::<Rates>(), choices::<Zones>(), choices::<Crowd>(), choices::<Phase>(), choices::<End>()].concat());
    all.extend([choices::<Unit>(), choices::<Measures>(), choices::<Missing>(), choices::<Jitter>()].concat());
    all.extend([choices::<Start>(), choices::<Region>(), choices::<Regions>(), choices::<Extent>()].concat());
    all.extend([names::<Absence>("(unheard: 1)"), names::<Fault>("(unheard: 1)")].concat());
    all.extend([choices::<Unreached>(), choices::<InFlight>(), choices::<Timers>(), choices::<State>(), choices::<Identity>()].concat());
    all.extend([choices::<Bandwidth>(), choices::<Sharing>(), choices::<Sequence>(), choices::<Bursts>()].concat());
    all.extend([choices::<What>(), choices::<Who>(), choices::<Groups>()].concat());
    assert!(all.len() > 90, "{}", all.len());
    for name in all {
        let is_named = README.contains(&format!("`{name}`")) || README.contains(&format!("`{name}("));
        assert!(is_named, "{name} is not in scenarios/README.md");
    }
}

#[test]
fn every_field_has_a_hint() {
    let fields = names::<Scenario>("(unheard: 1)").iter().chain(names::<Record>("(unheard: 1)")).map(|field| field.to_string());
    let within = |path: &str, names: &[&str]| names.iter().map(|name| format!("{path}.{name}")).collect::<Vec<_>>();
    let attackers = within("attackers", names::<Attackers>("(unheard: 1)"));
    let active = within("attackers.active", names::<Active>("Windows(unheard: 1)"));
    let join = within("attackers.join", names::<Join>("Burst(unheard: 1)"));
    let of = |path: &str, choices: Vec<(&str, &[&str])>| choices.iter().flat_map(|(_, names)| within(path, names)).collect::<Vec<_>>();
    let arrivals = of("arrivals", fields_of::<Arrivals>());
    let latency = of("latency", fields_of::<Latency>());
    let churn =
        [of("churn", fields_of::<Churn>()), of("churn.online", fields_of::<Durations>()), of("crowds", fields_of::<Crowd>())].concat();
    let rates = [of("arrivals.rates", fields_of::<Rates>()), within("arrivals.sittings", names::<Sittings>("(unheard: 1)"))].concat();
    let day = within("churn.day", names::<Day>("(unheard: 1)"));
    let absence = within("absence", names::<Absence>("(unheard: 1)"));
    let messages = |choice: &str| within("absence.messages", names::<Unreached>(choice));
    let faults = within("faults", names::<Fault>("(unheard: 1)"));
    let links = [
        within("bandwidth", names::<Bandwidth>("Limited(unheard: 1)")),
        within("bursts", names::<Bursts>("GilbertElliott(unheard: 1)")),
        messages("Retry(unheard: 1)"),
        messages("Mailbox(unheard: 1)"),
        within(
            "faults.what",
            &["OneWay", "Crash", "Dark", "Slow", "Lossy"].map(|verb| names::<What>(&format!("{verb}(unheard: 1)"))).concat(),
        ),
    ];
    fields
        .chain([attackers, active, join, arrivals, latency, churn, rates, day, absence, faults, links.concat()].concat())
        .for_each(|field| assert!(Hint::of(&field).is_some(), "{field} has no hint"));
}

#[test]
fn examples_in_hints_and_in_the_reference_parse() {
    let fields = names::<Scenario>("(unheard: 1)");
    let is_field = |line: &str| line.split_once(": ").is_some_and(|(name, _)| fields.contains(&name));
    let hints = HINTS.iter().filter(|hint| fields.contains(&hint.path)).map(Hint::line);
    let spans = README.split('`').filter(|span| is_field(span)).map(str::to_string);
    let attacks = ATTACKS.iter().map(|attack| format!("attack: {attack}"));
    let examples: Vec<String> = hints.chain(spans).chain(attacks).collect();
    assert!(examples.len() > 2 * fields.len(), "{}", examples.len());
    for line in examples {
        with(&line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    }
}
