//! How many threads a command starts: as many as the user wants, or as many cores as the cluster's job was given, or all cores.

use rankguard::error::{Error, Result};
use std::env;
use std::num::NonZeroUsize;
use std::thread;

/// More threads than this are a mistake: no machine has so many cores.
const MOST: usize = 1024;

/// What a variable tells about cores.
#[derive(Clone, Copy)]
enum Tells {
    /// Their number.
    Count,
    /// Their numbers, separated by commas.
    List,
}

/// The variables by which a cluster tells a job its cores. A task of HyperQueue mostly runs inside of another cluster's job, and has some of
/// that job's cores only; so it comes first.
const VARIABLES: [(&str, Tells); 6] = [
    ("HQ_CPUS", Tells::List),
    ("SLURM_CPUS_PER_TASK", Tells::Count),
    ("PBS_NCPUS", Tells::Count),
    ("NCPUS", Tells::Count),
    ("NSLOTS", Tells::Count),
    ("LSB_DJOB_NUMPROC", Tells::Count),
];

/// The number of threads of a command whose `--threads` is `wanted`.
pub fn threads(wanted: Option<NonZeroUsize>) -> Result<usize> {
    // The standard library knows the affinity mask and the share of control groups.
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    choose(wanted, |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()), cores)
}

/// The same where variables and cores are given.
fn choose(wanted: Option<NonZeroUsize>, variable: impl Fn(&str) -> Option<String>, cores: usize) -> Result<usize> {
    if let Some(wanted) = wanted {
        return within_bounds(&format!("--threads {wanted}"), wanted.get(), cores);
    }
    let given = |(name, tells)| Some((name, variable(name).filter(|value| !value.trim().is_empty())?, tells));
    let Some((name, value, tells)) = VARIABLES.into_iter().find_map(given) else { return Ok(cores.min(MOST)) };
    let n = count(value.trim(), tells).ok_or_else(|| {
        let what = match tells {
            Tells::Count => "is no positive number",
            Tells::List => "is no list of cores such as 0,1,2",
        };
        Error::input(format!("{name}={value}: {what}; correct the variable, remove it, or pass --threads"))
    })?;
    within_bounds(&format!("{name}={value}"), n, cores)
}

fn count(value: &str, tells: Tells) -> Option<usize> {
    match tells {
        Tells::Count => value.parse().ok().filter(|n| *n > 0),
        Tells::List => value.split(',').map(|core| core.trim().parse::<u32>().ok()).collect::<Option<Vec<_>>>().map(|cores| cores.len()),
    }
}

fn within_bounds(whence: &str, n: usize, cores: usize) -> Result<usize> {
    if n <= MOST {
        return Ok(n);
    }
    let sensible = if cores == 1 { "its one core".into() } else { format!("its {cores} cores") };
    Err(Error::input(format!(
        "{whence}: at most {MOST} threads are started; this machine is used best by --threads {cores}, one for each of {sensible}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen on a machine with 6 cores.
    fn chosen(wanted: Option<usize>, variables: &[(&str, &str)]) -> Result<usize> {
        let value = |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.to_string());
        choose(wanted.and_then(NonZeroUsize::new), value, 6)
    }

    #[track_caller]
    fn check(wanted: Option<usize>, variables: &[(&str, &str)], expect: usize) {
        assert_eq!(chosen(wanted, variables), Ok(expect), "{wanted:?} {variables:?}");
    }

    #[test]
    fn a_wish_comes_first_then_the_cluster_then_the_machine() {
        check(None, &[], 6);
        check(Some(3), &[("SLURM_CPUS_PER_TASK", "4")], 3);
        check(Some(3), &[("SLURM_CPUS_PER_TASK", "many")], 3);
        check(None, &[("SLURM_CPUS_PER_TASK", "4")], 4);
        check(None, &[("SLURM_CPUS_PER_TASK", "128")], 128);
        check(None, &[("SLURM_CPUS_PER_TASK", "4"), ("NSLOTS", "2")], 4);
        check(None, &[("SLURM_CPUS_PER_TASK", ""), ("NSLOTS", " 2 ")], 2);
        for name in ["PBS_NCPUS", "NCPUS", "NSLOTS", "LSB_DJOB_NUMPROC"] {
            check(None, &[(name, "5")], 5);
        }
    }

    #[test]
    fn hyperqueue_lists_cores_within_the_job_around_it() {
        check(None, &[("HQ_CPUS", "7")], 1);
        check(None, &[("HQ_CPUS", "0,1,2")], 3);
        check(None, &[("HQ_CPUS", "8, 9"), ("SLURM_CPUS_PER_TASK", "64")], 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_name() {
        for (wanted, variables, expect) in [
            (None, &[("SLURM_CPUS_PER_TASK", "many")][..], "SLURM_CPUS_PER_TASK=many: is no positive number; correct the variable"),
            (None, &[("NSLOTS", "0")], "NSLOTS=0: is no positive number"),
            (None, &[("NCPUS", "-2")], "NCPUS=-2: is no positive number"),
            (None, &[("PBS_NCPUS", "2.5")], "PBS_NCPUS=2.5: is no positive number"),
            (None, &[("HQ_CPUS", "0,,2")], "HQ_CPUS=0,,2: is no list of cores such as 0,1,2; correct the variable"),
            (
                None,
                &[("LSB_DJOB_NUMPROC", "2000")],
                "LSB_DJOB_NUMPROC=2000: at most 1024 threads are started; this machine is used best by --threads 6",
            ),
            (Some(1025), &[], "--threads 1025: at most 1024 threads are started"),
        ] {
            let problem = chosen(wanted, variables).expect_err("it is refused");
            assert!(problem.to_string().starts_with(expect) && problem.exit_code() == 2, "{problem}");
        }
        check(Some(1024), &[], 1024);
    }
}
