//! Measures the event queue, and the timeline alone against a bare heap.
//!
//! Every queue holds a number of events and pops and pushes one at a time, with exponential pauses. A bare heap is a `BinaryHeap` of the
//! standard library whose entries are an [`Order`] and an event of 8 bytes, as in the queue. The timeline is that of
//! `scenarios/faults/large.ron`; its ratio is the events per second of the timeline over those of a bare heap that holds as many events,
//! each by its fastest piece of many in turn.

#![allow(clippy::disallowed_methods, reason = "a bench looks at the clock")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use priority_queue::PriorityQueue;
use rankguard::rng::{Purpose, Seed};
use rankguard::scenario::Scenario;
use rankguard::timeline::{EventQueue, Order, Pending, Step, Timeline};
use rankguard::units::VirtualTime;
use rankguard::world::World;
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// An event of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Event {
    Timer(u32),
    Message(u32),
}

impl Pending for Event {
    fn is_cancellable(&self) -> bool {
        matches!(self, Event::Timer(_))
    }
}

/// A queue that can be measured.
trait Queue: Default {
    fn push(&mut self, event: Event, order: Order);
    fn pop(&mut self) -> (Event, Order);
}

type BareHeap = BinaryHeap<Reverse<(Order, Event)>>;

impl Queue for BareHeap {
    fn push(&mut self, event: Event, order: Order) {
        self.push(Reverse((order, event)));
    }

    fn pop(&mut self) -> (Event, Order) {
        let Reverse((order, event)) = self.pop().expect("it holds events");
        (event, order)
    }
}

type Keyed = PriorityQueue<Event, Reverse<Order>, FxBuildHasher>;

impl Queue for Keyed {
    fn push(&mut self, event: Event, order: Order) {
        self.push(event, Reverse(order));
    }

    fn pop(&mut self) -> (Event, Order) {
        let (event, Reverse(order)) = self.pop().expect("it holds events");
        (event, order)
    }
}

impl Queue for EventQueue<Event> {
    fn push(&mut self, event: Event, order: Order) {
        self.push(event, order);
    }

    fn pop(&mut self) -> (Event, Order) {
        self.pop().expect("it holds events")
    }
}

/// A queue with its pauses.
struct Held<Q> {
    queue: Q,
    pauses: Vec<u64>,
    n_done: usize,
}

impl<Q: Queue> Held<Q> {
    /// A queue of `n` events that has been used for a while.
    fn new(n: usize, event: fn(u32) -> Event) -> Self {
        let pause = |i| (-1.8e12 * rankguard::math::ln(Seed(1).uniform(Purpose::Arrival, 0, i))) as u64;
        let mut held = Self { queue: Q::default(), pauses: (0..1 << 16).map(pause).collect(), n_done: 0 };
        for i in 0..n as u32 {
            let at = VirtualTime(pause((1 << 16) + u64::from(i)));
            held.queue.push(event(i), Order { at, rank: (i % 7) as u8, origin: i, counter: 0 });
        }
        (0..2 * n).for_each(|_| held.pop_and_push());
        held
    }

    fn pop_and_push(&mut self) {
        let (event, mut order) = self.queue.pop();
        order.at.0 += self.pauses[self.n_done % self.pauses.len()];
        order.counter += 1;
        self.n_done += 1;
        self.queue.push(black_box(event), order);
    }
}

fn queue(c: &mut Criterion) {
    let mut group = c.benchmark_group("queue");
    group.sample_size(20);
    for n in [10_000, 100_000, 1_000_000] {
        let mut heap = Held::<BareHeap>::new(n, Event::Message);
        group.bench_function(BenchmarkId::new("BinaryHeap", n), |b| b.iter(|| heap.pop_and_push()));
        let mut keyed = Held::<Keyed>::new(n, Event::Timer);
        group.bench_function(BenchmarkId::new("priority-queue", n), |b| b.iter(|| keyed.pop_and_push()));
        let mut timers = Held::<EventQueue<Event>>::new(n, Event::Timer);
        group.bench_function(BenchmarkId::new("EventQueue, cancellable", n), |b| b.iter(|| timers.pop_and_push()));
        let mut messages = Held::<EventQueue<Event>>::new(n, Event::Message);
        group.bench_function(BenchmarkId::new("EventQueue, others", n), |b| b.iter(|| messages.pop_and_push()));
    }
    group.finish();
}

/// A timeline that starts again when it is over.
struct Running {
    world: World,
    timeline: Timeline,
    steps: Vec<Step>,
}

impl Running {
    fn large(n_nodes: u32) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/faults/large.ron");
        let scenario = Scenario { nodes: n_nodes, ..Scenario::read(&file).expect("it is shipped") };
        let world = scenario.resolve().expect("it is right");
        let mut running = Self { timeline: Timeline::new(world.plan().clone()), world, steps: Vec::new() };
        running.ns_per_event(10_000);
        running
    }

    /// The mean time of at least `n` further events.
    fn ns_per_event(&mut self, n: u64) -> f64 {
        let (clock, before) = (Instant::now(), self.timeline.tally().events);
        while self.timeline.tally().events < before + n {
            self.steps.clear();
            if !self.timeline.advance(1 << 9, &mut self.steps) {
                self.timeline = Timeline::new(self.world.plan().clone());
                return f64::INFINITY;
            }
        }
        clock.elapsed().as_nanos() as f64 / (self.timeline.tally().events - before) as f64
    }
}

fn timeline(c: &mut Criterion) {
    const PIECE: u64 = 1_000;
    for n_nodes in [1_000, 10_000, 100_000, 1_000_000] {
        let mut timeline = Running::large(n_nodes);
        let n_pending = timeline.timeline.n_pending();
        let mut heap = Held::<BareHeap>::new(n_pending, Event::Message);
        let (mut event_ns, mut heap_ns) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..1_000 {
            event_ns = event_ns.min(timeline.ns_per_event(PIECE));
            let clock = Instant::now();
            (0..PIECE).for_each(|_| heap.pop_and_push());
            heap_ns = heap_ns.min(clock.elapsed().as_nanos() as f64 / PIECE as f64);
        }
        let share = 100.0 * heap_ns / event_ns;
        println!(
            "timeline of {n_nodes} nodes, {n_pending} pending: {event_ns:.0} ns per event, bare heap {heap_ns:.0} ns: {share:.0} % of its events/s"
        );
        let mut group = c.benchmark_group("queue/timeline");
        group.sample_size(10);
        group.bench_function(BenchmarkId::from_parameter(n_nodes), |b| b.iter(|| timeline.ns_per_event(PIECE)));
        group.finish();
    }
}

criterion_group!(benches, timeline, queue);
criterion_main!(benches);
