//! Fields given on the command line instead of the file's: `--set defense=Undefended`.

use super::Scenario;
use super::explain::explain;
use super::parse::ron_options;
use crate::error::{Error, Result};
use std::path::Path;

impl Scenario {
    /// Reads a scenario, replaces whole top-level fields by others given as `field=value`, and checks the outcome.
    pub fn read_with(path: &Path, replacements: &[String]) -> Result<Scenario> {
        let scenario = Self::read_unchecked(path)?;
        let origin = path.display().to_string();
        if replacements.is_empty() {
            return scenario.check(&origin).map(|()| scenario);
        }
        let mut text = scenario.canonical();
        for replacement in replacements {
            text = replace(&text, replacement)?;
        }
        let changed: Scenario =
            ron_options().from_str(&text).map_err(|error| Error::input(explain(&text, &format!("{origin} with --set"), &error)))?;
        changed.check(&format!("{origin} with --set"))?;
        Ok(changed)
    }
}

/// A canonical scenario has one line per field; optional fields that are not given have none.
fn replace(canonical: &str, replacement: &str) -> Result<String> {
    let Some((field, value)) = replacement.split_once('=').map(|(field, value)| (field.trim(), value.trim())) else {
        return Err(Error::input(format!("--set {replacement}: write a field and its value, such as --set defense=Undefended")));
    };
    let is_name = !field.is_empty() && field.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(Error::input(format!(
            "--set {replacement}: replaces whole fields of the scenario, such as --set 'ranker=Linear(eta: 0.2)'"
        )));
    }
    let line = format!("    {field}: {},", value.replace('\n', " "));
    let is_field = |line: &str| line.trim_start().strip_prefix(field).is_some_and(|rest| rest.starts_with(':'));
    let lines: Vec<&str> = canonical.lines().map(|old| if is_field(old) { line.as_str() } else { old }).collect();
    if lines.contains(&line.as_str()) {
        return Ok(lines.join("\n") + "\n");
    }
    let end = canonical.trim_end().strip_suffix(')').expect("a scenario ends with its bracket");
    Ok(format!("{end}{line}\n)\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::GOOD;

    fn read(replacements: &[&str]) -> Result<Scenario> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("good.ron");
        std::fs::write(&path, GOOD).expect("it can be written");
        Scenario::read_with(&path, &replacements.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn whole_fields_are_replaced_or_added() {
        let scenario = read(&["defense = Cs(center: Median)", "name=\"x\"", "history=Last(5)"]).expect("it is right");
        let text = scenario.canonical();
        for line in ["defense: Cs(assumed: ShareOfNodes, center: Median),", "name: \"x\",", "history: Last(5),", "nodes: 100,"] {
            assert!(text.contains(line), "no {line} in\n{text}");
        }
        assert_eq!(replace("(\n    nodes: 1,\n)\n", "seed=2"), Ok("(\n    nodes: 1,\n    seed: 2,\n)\n".into()));
        assert_eq!(read(&[]).map(|scenario| scenario.name), Ok("good".into()));
    }

    #[track_caller]
    fn refuse(replacement: &str, expect: &str) {
        let error = read(&[replacement]).expect_err(replacement);
        assert!(error.to_string().contains(expect) && error.exit_code() == 2, "{error}");
    }

    #[test]
    fn what_cannot_be_replaced_says_why() {
        refuse("defense", "write a field and its value");
        refuse("defense.kappa=3", "replaces whole fields");
        refuse("defence=Undefended", "unknown field `defence`; did you mean `defense`?");
        refuse("defense=Undefendet", "defense cannot be `Undefendet`; did you mean `Undefended`?");
        refuse("nodes=0", "with --set: nodes is 0");
        refuse("nodes=(", "with --set:");
    }
}
