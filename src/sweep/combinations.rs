//! All combinations of one value per axis, and whether they make sense.

use super::file::SweepFile;
use super::plan::{Axis, PlannedRun, fields};
use super::seeds::MAX_RUNS;
use super::skip::is_skipped;
use crate::error::{Error, Result};
use crate::scenario::{Scenario, Template};
use crate::units::count;

/// The largest number of problems that are shown.
const SHOWN: usize = 10;

/// The values of every combination that the file does not leave out, by their indices; the last axis varies fastest.
pub fn combinations(file: &SweepFile) -> Result<Vec<Vec<usize>>> {
    let sizes: Vec<usize> = file.axes.iter().map(|draft| draft.axis.values.len()).collect();
    let n_runs = sizes.iter().fold(file.seeds.len(), |product, size| product.saturating_mul(*size));
    if n_runs > MAX_RUNS {
        let (n, most) = (count(n_runs as u64), count(MAX_RUNS as u64));
        return Err(Error::input(format!("{}: these axes and seeds make {n} runs, and a sweep has at most {most}", file.origin)));
    }
    let all = (0..sizes.iter().product()).map(|number| digits(number, &sizes));
    let kept: Vec<Vec<usize>> = all.filter(|values| !is_skipped(&file.skip, values)).collect();
    match kept.is_empty() {
        true => Err(Error::input(format!("{}: `skip` leaves out every combination", file.origin))),
        false => Ok(kept),
    }
}

/// A number written with one digit per axis.
fn digits(mut number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut digits: Vec<usize> = sizes.iter().rev().map(|size| (number % size, number /= size).0).collect();
    digits.reverse();
    digits
}

/// The scenario of each combination. All that make no sense are told at once, by their labels.
pub fn scenarios(origin: &str, base: &Template, axes: &[Axis], combinations: &[Vec<usize>]) -> Result<Vec<Scenario>> {
    let (mut scenarios, mut problems) = (Vec::new(), Vec::new());
    for values in combinations {
        let run = PlannedRun::new(axes, values.clone(), base.seed());
        match base.with(&fields(axes, values)).and_then(|template| template.scenario(&run.name, run.seed)) {
            Ok(scenario) => scenarios.push(scenario),
            Err(problem) => problems.push(told(origin, &run, &problem)),
        }
    }
    if problems.is_empty() {
        return Ok(scenarios);
    }
    let more = problems.len().saturating_sub(SHOWN);
    problems.truncate(SHOWN);
    if more > 0 {
        problems.push(format!("and {more} more combinations make no sense"));
    }
    Err(Error::input(problems.join("\n")))
}

/// The problems of a run's scenario by its labels instead of its name.
fn told(origin: &str, run: &PlannedRun, problem: &Error) -> String {
    let labels: Vec<String> = run.labels.iter().map(|(axis, label)| format!("{axis} {label}")).collect();
    let with = if labels.is_empty() { String::new() } else { format!("with {}: ", labels.join(", ")) };
    let (text, name) = (problem.to_string(), format!("{}: ", run.name));
    let lines = text.lines().map(|line| format!("{origin}: {with}{}", line.strip_prefix(&name).unwrap_or(line)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::tests::read;

    #[track_caller]
    fn check(fields: &str, expect: &[&[usize]]) {
        assert_eq!(combinations(&read(fields).expect(fields)), Ok(expect.iter().map(|values| values.to_vec()).collect()));
    }

    const AXES: &str = "axes: [Axis(defense: [FlTrust, Krum]), Axis(loss: [0.1, 0.2])]";

    #[test]
    fn the_last_axis_varies_fastest() {
        check("", &[&[]]);
        check(AXES, &[&[0, 0], &[0, 1], &[1, 0], &[1, 1]]);
    }

    #[test]
    fn a_combination_is_left_out_if_all_named_labels_fit() {
        check(&format!("{AXES}, skip: [(loss: \"0.1\")]"), &[&[0, 1], &[1, 1]]);
        check(&format!("{AXES}, skip: [(loss: \"0.1\", defense: \"Krum\"), (loss: \"0.2\", defense: \"FlTrust\")]"), &[&[0, 0], &[1, 1]]);
        let error = combinations(&read(&format!("{AXES}, skip: [(loss: \"0.1\"), (loss: \"0.2\")]")).expect("it reads"));
        assert_eq!(error.expect_err("nothing is left").to_string(), "sweep.ron: `skip` leaves out every combination");
        let error = combinations(&read(&format!("{AXES}, seeds: Range(first: 1, count: 30000)")).expect("it reads"));
        assert!(error.expect_err("it is too much").to_string().contains("make 120,000 runs, and a sweep has at most 100,000"));
    }

    fn problems(fields: &str) -> String {
        let file = read(fields).expect(fields);
        let axes: Vec<Axis> = file.axes.iter().map(|draft| draft.axis.clone()).collect();
        let combinations = combinations(&file).expect(fields);
        scenarios("sweep.ron", &file.base, &axes, &combinations).expect_err("it makes no sense").to_string()
    }

    #[test]
    fn all_combinations_that_make_no_sense_are_told_at_once() {
        let message = problems("axes: [Axis(attack: [NoAttack, Flip]), Axis(malicious_share: [0.0, 0.2])]");
        let lines: Vec<&str> = message.lines().collect();
        assert!(lines[0].starts_with("sweep.ron: with attack NoAttack, malicious_share 0.2: "), "{message}");
        assert!(lines.last().is_some_and(|line| line.starts_with("sweep.ron: with attack Flip, malicious_share 0.0: ")), "{message}");
        let loss: Vec<String> = (1..=12).map(|n| format!("0.{n:02}")).collect();
        let message = problems(&format!("set: (malicious_share: 0), axes: [Axis(loss: [{}])]", loss.join(", ")));
        assert!(message.ends_with("\nand 2 more combinations make no sense"), "{message}");
    }
}
