//! `rankguard run`: runs a scenario into a result folder, or its network alone.

use super::destination::Destination;
use super::interruption::Interruption;
use super::print::{say_json, say_sections};
use super::progress::Display;
use super::threads::threads;
use super::{read_scenario, summary};
use clap::{Args, ValueEnum};
use rankguard::error::{Error, Kind, Result};
use rankguard::machine;
use rankguard::report;
use rankguard::run::{self, Every, Flags, Job};
use rankguard::scenario::{Room, Start};
use rankguard::units::{Duration, Extent};
use rankguard::world::World;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The scenario, a RON file, or - for standard input
    pub file: PathBuf,
    /// Result folder [default: out/NAME of the scenario, or out/NAME-seed-N with --seed]; s3://BUCKET/FOLDER if the program was built with
    /// --features remote
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where unfinished results and checkpoints are, such as a fast local disk; they move to --out when the run is done. An interrupted run goes
    /// on with the same command
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Replace a field of the scenario, such as --set defense=Undefended, or one inside, such as --set defense.kappa=8; may be given
    /// several times
    #[arg(long, value_name = "FIELD=VALUE")]
    pub set: Vec<String>,
    /// Use this seed instead of the scenario's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Worker threads; the results do not depend on it [default: the cores that a cluster's job was given, else all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "STYLE")]
    pub progress: ProgressStyle,
    /// How often to write the run down, so that `rankguard resume` can go on: a real time such as 10min, Sessions(5000), Time("6h") of virtual
    /// time, or never. An interrupted run is written down in any case
    #[arg(long, value_name = "EVERY", value_parser = every, default_value = "10min")]
    pub checkpoint: Every,
    /// Keep all checkpoints with the results, so that `rankguard fork` can begin from them
    #[arg(long)]
    pub keep_checkpoints: bool,
    /// Run the network alone, without learning, and print what became of its messages; no data is read and nothing is written
    #[arg(long, conflicts_with_all = ["out", "scratch", "overwrite", "quiet", "checkpoint", "keep_checkpoints"])]
    pub timeline_only: bool,
    /// Replace the results of another scenario in the result folder
    #[arg(long)]
    pub overwrite: bool,
    /// Begin even if the run seems too large: for the memory or the disk of this machine, or in searches, messages and rows
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A bar on a terminal, plain lines elsewhere
    Auto,
    Bar,
    Plain,
    /// A JSON object per line for every evaluation, on standard error
    Json,
    None,
}

pub fn run(args: RunArgs, interruption: &Interruption) -> Result<()> {
    let mut scenario = read_scenario(&args.file, &args.set)?;
    let mut folder = PathBuf::from("out").join(&scenario.name);
    if let Some(seed) = args.seed {
        scenario.seed = seed;
        folder.set_file_name(format!("{}-seed-{seed}", scenario.name));
    }
    if args.timeline_only {
        // A network alone has no models to begin with.
        scenario.start = Start::Fresh;
    }
    let threads = threads(args.threads)?;
    let memory = machine::available_memory().filter(|_| !args.force);
    let world = scenario.resolve_within(Room { memory, disk: None }).map_err(how_to_insist)?;
    if args.timeline_only {
        return run_network(&args, &world, interruption).map_err(how_to_insist);
    }
    let destination = Destination::new(args.out.clone().unwrap_or(folder), args.scratch.as_deref())?;
    destination.check(&world, args.overwrite)?;
    let job = Job {
        overwrite: args.overwrite,
        force: args.force,
        threads,
        interrupted: destination.interrupted(),
        checkpoints: args.checkpoint,
        keeps_checkpoints: args.keep_checkpoints,
        ..Job::into(destination.folder())
    };
    run_job(Showing { progress: args.progress, quiet: args.quiet, json: args.json }, &world, job, &destination, interruption)
        .map_err(how_to_insist)
}

/// What a command shows of a run.
#[derive(Debug, Clone, Copy)]
pub struct Showing {
    pub progress: ProgressStyle,
    pub quiet: bool,
    pub json: bool,
}

/// Runs a job, brings its results to their destination, and shows its progress and its summary.
pub fn run_job(show: Showing, world: &World, job: Job, destination: &Destination, interruption: &Interruption) -> Result<()> {
    let (threads, overwrite) = (job.threads, job.overwrite);
    // The display is made when the simulation begins, because the time of reading documents must not count in its speed.
    let mut display = None;
    let mut watch = |progress: &run::Progress| {
        display.get_or_insert_with(|| Display::new(show, world.scenario())).show(progress);
        ControlFlow::Continue(())
    };
    let published = run::job(world, Job { interrupt: Some(interruption.interrupt()), watch: Some(&mut watch), ..job });
    if let Some(display) = display {
        display.end(published.is_ok());
    }
    let published = published?;
    let folder = destination.deliver(world, &published, overwrite, interruption)?;
    if show.quiet {
        return Ok(());
    }
    let said = match show.json {
        true => say_json(&summary::data_of_run(&published, &folder, threads)),
        false => say_sections(&summary::of_run(&published, &folder, threads)),
    };
    said.map_err(|problem| problem.and(&format!("the results are in {}", folder.display())))
}

/// Runs the network alone: it reads only the files that the scenario names for the network, and writes nothing.
fn run_network(args: &RunArgs, world: &World, interruption: &Interruption) -> Result<()> {
    let room = Room { memory: machine::available_memory(), disk: None };
    let excess = world.estimate(None).excess_of_network(room);
    if !args.force && !excess.is_empty() {
        let reasons: Vec<String> = excess.iter().map(|reason| format!("{}: {reason}", world.scenario().name)).collect();
        return Err(Error::too_large(reasons.join("\n")));
    }
    let show = Showing { progress: args.progress, quiet: false, json: args.json };
    let (display, clock) = (Display::new(show, world.scenario()), Instant::now());
    let finished = interruption.interrupt().simulate(|Flags { stop, .. }| {
        run::run_network(world, &mut |progress| {
            display.show(progress);
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    display.end(finished.is_ok());
    let outcome = summary::of_network(world.scenario(), finished?, clock.elapsed());
    if args.json { say_json(&report::network_data(&outcome)) } else { say_sections(&report::network_summary(&outcome)) }
}

/// How often a run is written down, as the command line says it.
pub fn every(text: &str) -> std::result::Result<Every, String> {
    let wrong = || "write a real time such as 10min, Sessions(5000), Time(\"6h\") of virtual time, or never".to_string();
    if text == "never" {
        return Ok(Every::Never);
    }
    if let Ok(extent) = text.parse::<Extent>() {
        return Ok(Every::Virtual(extent));
    }
    let pause = text.parse::<Duration>().ok().filter(|pause| pause.ns() > 0).ok_or_else(wrong)?;
    Ok(Every::Wall(std::time::Duration::from_nanos(pause.ns())))
}

pub fn how_to_insist(error: Error) -> Error {
    match error.kind() {
        Kind::TooLarge => error.and("or pass --force to begin it all the same"),
        Kind::Input | Kind::Interrupted | Kind::Storage | Kind::Failed | Kind::Unprintable => error,
    }
}
