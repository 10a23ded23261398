//! Whole runs and evaluations on two threads, compared with one.

use super::evaluation::{self, Evaluation, pool};
use super::timeline::network;
use super::timing::Clock;
use super::{Effort, Group, Meter, Subject, bounds, desk};
use crate::corpus::{Corpus, Shape};
use crate::error::Result;
use crate::record::NullRecorder;
use crate::run::{Params, run};
use crate::scenario::Scenario;
use crate::world::World;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let evaluated = evaluation::corpus(Shape::Web30k, effort.choose(6_000, 24_000, 48_000));
    let (evaluation, one, two) = (Evaluation::of_linear(&evaluated), pool(1), pool(2));
    let subject = subject("evaluation of 80 models", vec![("d", 136)]);
    meter.measure(&subject, || (), |()| two.install(|| evaluation.run()), || one.install(|| evaluation.run()));
    measure_many_nodes(effort, meter)?;
    quickstart(effort, meter)
}

/// Measures a run of 10,000 nodes.
pub(super) fn measure_many_nodes(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let n_sessions: u64 = effort.choose(5_000, 10_000, 20_000);
    let world = network(10_000, n_sessions, desk::RULES[0].1);
    let corpus = desk::corpus(Shape::Web30k, 300, 2);
    whole_run("10,000 nodes", n_sessions, &world, &corpus, meter)
}

/// Measures the first scenario that a reader meets, or its beginning.
fn quickstart(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let hours: u64 = effort.choose(6, 12, 48);
    let text = &include_bytes!("../../scenarios/quickstart.ron")[..];
    let set = [format!("stop=Time(\"{hours}h\")"), String::from("dataset.train_queries=300")];
    let world = Scenario::read_from(text, "quickstart.ron", &set)?.resolve()?;
    let corpus = Corpus::load(&world.scenario().dataset)?;
    whole_run("quickstart", hours, &world, &corpus, meter)
}

fn whole_run(what: &str, size: u64, world: &World, corpus: &Corpus, meter: &mut impl Meter) -> Result<()> {
    let mut outcomes = [Ok(()), Ok(())];
    let [outcome, bound_outcome] = &mut outcomes;
    let finish = |threads: usize| run(world, Params { threads, ..Params::new(corpus, &mut NullRecorder) }).map(drop);
    let size = vec![(if what == "quickstart" { "hours" } else { "searches" }, size)];
    meter.measure(
        &subject(what, size),
        || (),
        |()| *outcome = outcome.clone().and(finish(2)),
        || *bound_outcome = bound_outcome.clone().and(finish(1)),
    );
    outcomes.into_iter().collect()
}

fn subject(what: &str, size: Vec<(&'static str, u64)>) -> Subject {
    Subject {
        group: Group::Threads,
        what: format!("{what}, two threads"),
        size,
        per: "run",
        pieces: 1.0,
        bound: "one thread".into(),
        bound_times: 1.0,
        flops: 0.0,
    }
}

/// How many times as much work two threads do as one, if the work is nothing but arithmetic in registers: about 2 on a quiet machine of two
/// cores.
pub(super) fn quietness() -> f64 {
    let spin = |n_threads: usize| {
        Clock::Wall.shortest(3, || {
            std::thread::scope(|scope| (0..n_threads).for_each(|_| _ = scope.spawn(|| (0..20_000).for_each(|_| bounds::spin()))))
        })
    };
    2.0 * spin(1) / spin(2)
}
