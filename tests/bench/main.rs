//! Measures every group of [`rankguard::bench`] with criterion, and prints after each group how many times its bound everything took.
//!
//! `cargo bench` measures all groups, and `cargo bench -- judge` only those whose names begin like the argument.

use criterion::{BatchSize, Criterion, SamplingMode};
use rankguard::bench::{self, Bounds, Effort, Fastest, Group, Meter, Subject};
use std::time::Duration;

/// Hands the work to criterion, and to the meter that knows the bounds.
struct Both<'a> {
    criterion: &'a mut Criterion,
    fastest: Fastest,
}

impl Meter for Both<'_> {
    fn measure<S>(&mut self, subject: &Subject, mut prepare: impl FnMut() -> S, mut work: impl FnMut(&mut S), mut bound: impl FnMut()) {
        let mut group = self.criterion.benchmark_group(format!("{}/{}", subject.group.name(), subject.what));
        group.sampling_mode(SamplingMode::Flat);
        group.bench_function(subject.sizes(), |b| b.iter_batched_ref(&mut prepare, &mut work, BatchSize::PerIteration));
        group.finish();
        self.fastest.measure(subject, &mut prepare, &mut work, &mut bound);
    }
}

fn main() {
    let criterion = Criterion::default().without_plots().sample_size(10);
    let times = criterion.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(300));
    let mut criterion = times.configure_from_args();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |group: &Group| wanted.is_empty() || wanted.iter().any(|name| name.starts_with(group.name()));
    let bounds = Bounds::measure();
    print!("{}", bounds.show());
    for group in Group::ALL.into_iter().filter(is_wanted) {
        let mut both = Both { criterion: &mut criterion, fastest: Fastest::new(Effort::Repeated) };
        group.measure(Effort::Repeated, &mut both).expect("nothing fails here");
        println!("\n{}", bench::table(both.fastest.rows(), &bounds));
    }
    criterion.final_summary();
}
