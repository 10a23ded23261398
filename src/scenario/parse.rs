//! Reads a scenario from a file, and checks it.

use super::Scenario;
use super::brackets;
use super::explain::explain;
use super::locate::follow;
use super::written::Written;
use crate::error::{Error, Result};
use crate::files;
use std::io::Read;
use std::path::Path;

pub(super) use crate::fields::options as ron_options;

impl Scenario {
    /// Reads and checks a scenario file.
    pub fn read(path: &Path) -> Result<Scenario> {
        Self::read_with(path, &[])
    }

    /// Reads a scenario file, sets fields given as `field=value` or `field.inside=value`, and checks the outcome.
    pub fn read_with(path: &Path, replacements: &[String]) -> Result<Scenario> {
        let bytes = files::read(path, files::WRITTEN_BY_HAND).map_err(|source| Error::cannot_read(path, &source))?;
        Self::parse_with(&text_of(bytes, &path.display().to_string())?, &path.display().to_string(), replacements)
    }

    /// The same from any source, such as standard input; `origin` names it in messages.
    pub fn read_from(source: impl Read, origin: &str, replacements: &[String]) -> Result<Scenario> {
        let bytes = files::read_from(source, files::WRITTEN_BY_HAND);
        let bytes = bytes.map_err(|e| Error::input(format!("{origin}: cannot be read: {e}")))?;
        Self::parse_with(&text_of(bytes, origin)?, origin, replacements)
    }

    /// Parses and checks a scenario. `origin` names the text in messages. The error is the first mistake of syntax or type, or else all
    /// other problems at once.
    pub fn parse(text: &str, origin: &str) -> Result<Scenario> {
        Self::parse_with(text, origin, &[])
    }

    fn parse_with(text: &str, origin: &str, replacements: &[String]) -> Result<Scenario> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let held = of_manifest(text);
        let text = held.as_deref().unwrap_or(text);
        let mut scenario: Scenario = brackets::from_str(text).map_err(|mistake| Error::input(explain(text, origin, &mistake)))?;
        let mut written = Written::new(text, origin);
        for replacement in replacements {
            scenario = scenario.set(replacement, &mut written)?;
        }
        scenario.check_written(&written)?;
        Ok(scenario.with_defaults())
    }
}

pub(super) fn text_of(bytes: Vec<u8>, origin: &str) -> Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| Error::input(format!("{origin}: byte {} is not UTF-8; save the file as UTF-8", error.utf8_error().valid_up_to())))
}

/// The scenario in the text of a result's manifest. All other text becomes blanks, so that places stay the same.
///
/// A manifest begins with the version of the program, which is no field of a scenario.
pub(super) fn of_manifest(text: &str) -> Option<String> {
    let begins = text.trim_start().strip_prefix('(').is_some_and(|fields| fields.trim_start().starts_with("program_version"));
    let found = begins.then(|| follow(text, "scenario")).filter(|found| found.n_steps == 1)?;
    let before: String = text[..found.value.start].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    Some(before + &text[found.value])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub const GOOD: &str = r#"// A good one.
(
    name: "good",
    seed: 1,
    nodes: 100,
    malicious_share: 0.2,
    stop: Time("1d"),
    evaluate_every: Sessions(100),
    dataset: Synthetic(like: Web30k, train_queries: 100, test_queries: 10),
    shown: 10,
    ndcg_cutoff: 10,
    users: Perfect,
    ranker: Linear(eta: 0.1),
    defense: RankGuard(kappa: 4.0),
    attack: Flip,
    malicious_aggregate: Never,
    arrivals: Poisson(every: "10min"),
    latency: LogNormal(median: "80ms", sigma: 0.6),
    loss: 0.001,
    churn: Alternating(online: Weibull(shape: 0.6, scale: "2h"), offline: Exponential(mean: "3h")),
    record: (receipts: OneIn(10)),
)
"#;

    pub fn good() -> Scenario {
        Scenario::parse(GOOD, "good.ron").expect("it is good")
    }

    /// The message about GOOD with `part` replaced by `by`.
    #[track_caller]
    pub fn message(part: &str, by: &str) -> String {
        assert!(GOOD.contains(part), "{part} is not in GOOD");
        Scenario::parse(&GOOD.replace(part, by), "x.ron").expect_err(by).to_string()
    }

    /// GOOD with `part` replaced by `by` is refused, and the message says all of `expect`, whose parts are separated by `…`.
    #[track_caller]
    pub fn refuse(part: &str, by: &str, expect: &str) {
        let message = message(part, by);
        let mut rest = message.as_str();
        for fragment in expect.split('…') {
            let at = rest.find(fragment).unwrap_or_else(|| panic!("no {fragment:?} in\n{message}"));
            rest = &rest[at + fragment.len()..];
        }
    }

    #[track_caller]
    pub fn accept(part: &str, by: &str) {
        assert!(GOOD.contains(part), "{part} is not in GOOD");
        Scenario::parse(&GOOD.replace(part, by), "x.ron").unwrap_or_else(|error| panic!("{by}: {error}"));
    }

    #[test]
    fn what_ron_allows_is_read() {
        accept("\n(", "\nScenario(");
        accept("// A good one.", "\u{feff}/* with a byte order mark */");
        accept("kappa: 4.0", "kappa: 4,");
        accept("malicious_aggregate: Never", "malicious_aggregate: Some(Never)");
        accept("seed: 1", "seed: 1_000_000");
        accept(
            "dataset: Synthetic(like: Web30k, train_queries: 100, test_queries: 10)",
            "dataset: Letor(path: \"d\", normalize: AsIs, grades: 5)",
        );
    }

    #[test]
    fn a_manifest_holds_a_scenario() {
        let scenario = good().canonical();
        let manifest =
            format!("(\n    program_version: \"0.1.0\",\n    rows: {{\"curve\": 3}},\n    scenario: {},\n)\n", scenario.trim_end());
        assert_eq!(Scenario::parse(&manifest, "manifest.ron"), Ok(good()));
        let wrong = Scenario::parse(&manifest.replace("kappa", "kapa"), "manifest.ron").expect_err("it is refused").to_string();
        assert!(wrong.contains("unknown field `kapa`; did you mean `kappa`?"), "{wrong}");
    }

    #[test]
    fn files_that_cannot_be_read_say_why() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let refuse = |name: &str, bytes: Option<&[u8]>, expect: &str| {
            let path = folder.path().join(name);
            if let Some(bytes) = bytes {
                std::fs::write(&path, bytes).expect("it can be written");
            }
            let error = Scenario::read(&path).expect_err(name);
            assert!(error.to_string().contains(name) && error.to_string().contains(expect), "{error}");
            assert_eq!(error.exit_code(), 2);
        };
        refuse("missing.ron", None, "cannot be read");
        refuse(".", None, "cannot be read");
        if cfg!(target_os = "linux") {
            let endless = Scenario::read(Path::new("/dev/zero")).expect_err("it has no end");
            assert_eq!(
                (endless.to_string().as_str(), endless.exit_code()),
                ("/dev/zero: cannot be read: it is a device or a pipe; name a regular file", 2)
            );
        }
        refuse("large.ron", Some(&vec![b' '; 16_000_001]), "at most 16.0 MB are read, and it holds 16.0 MB");
        refuse("latin1.ron", Some(b"(name: \"caf\xe9\")"), "byte 11 is not UTF-8");
        refuse("empty.ron", Some(b""), "holds no scenario");
        refuse("blank.ron", Some(b"  // nothing yet\n"), "holds no scenario");
        refuse("marked.ron", Some(b"\xef\xbb\xbf(name: 3)"), "marked.ron:1:8: name is 3");
    }

    #[test]
    fn a_scenario_comes_from_anything_that_can_be_read_within_reason() {
        let read = |source: &mut dyn Read| Scenario::read_from(source, "<stdin>", &["nodes=50".into()]);
        assert_eq!(read(&mut GOOD.as_bytes()).map(|scenario| scenario.nodes), Ok(50));
        let refuse = |source: &mut dyn Read, expect: &str| {
            let message = read(source).expect_err(expect).to_string();
            assert!(message.starts_with("<stdin>:") && message.contains(expect), "{message}");
        };
        refuse(&mut GOOD.replace("kappa", "kapa").as_bytes(), "<stdin>:14:24: unknown field `kapa`");
        refuse(&mut std::io::repeat(b' '), "cannot be read: at most 16.0 MB are read, and it holds more than that");
        refuse(&mut std::io::empty(), "holds no scenario");
    }

    proptest::proptest! {
        #[test]
        fn any_mangled_scenario_gets_an_answer(from in 0..GOOD.len(), len in 0usize..30, by in "[a-z0-9.:,\"()\\[\\]{}/*\\n#κ -]{0,6}") {
            let mut text = GOOD.to_string();
            text.replace_range(from..(from + len).min(GOOD.len()), &by);
            if let Err(error) = Scenario::parse(&text, "x.ron") {
                assert!(error.to_string().starts_with("x.ron:"), "{error}");
            }
        }
    }
}
