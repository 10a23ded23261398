//! Compares the reader of LETOR text with a bare newline scan over the same bytes, on one thread.
//!
//! The reader should reach a tenth of the scan's speed, so that no run waits for reading. The ratio of the two is printed last. Scan and
//! reader take turns over the same text, so that other load on the machine slows down both.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rankguard::corpus::Normalize;
use rankguard::corpus::letor::{Options, parse};
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const BYTES: usize = 32 << 20;

/// A number that varies with `i` as irregularly as data does. It need not be random.
fn mixed(i: usize) -> usize {
    let x = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as usize
}

/// Adds a line like those of MQ2008: 46 features of six decimals, many of them zero, and a comment.
fn mq2008(text: &mut String, line: usize) {
    write!(text, "{} qid:{}", mixed(line) % 3, line / 20).unwrap();
    for feature in 1..=46 {
        let draw = mixed(line * 46 + feature);
        let value = if draw.is_multiple_of(3) { 0 } else { draw % 1_000_000 };
        write!(text, " {feature}:0.{value:06}").unwrap();
    }
    writeln!(text, " #docid = GX{:03}-{:02}-{:07} inc = 1 prob = 0.{:06}", line % 270, line % 100, line, line % 1_000_000).unwrap();
}

/// Adds a line like those of MSLR: 136 unnormalised features, counts in some columns and scores in others, and no comment.
fn mslr(text: &mut String, line: usize) {
    write!(text, "{} qid:{}", mixed(line) % 5, line / 120).unwrap();
    for feature in 1..=136 {
        let draw = mixed(line * 136 + feature);
        match feature % 10 {
            0..=2 => write!(text, " {feature}:{}", draw % 4),
            3 | 4 => write!(text, " {feature}:{}", draw % 1_000),
            5 => write!(text, " {feature}:-{}.{:06}", draw % 20, draw % 1_000_000),
            6 | 7 => write!(text, " {feature}:{}.{:06}", draw % 40, draw % 1_000_000),
            _ => write!(text, " {feature}:0"),
        }
        .unwrap();
    }
    text.push('\n');
}

fn text(line: fn(&mut String, usize)) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= BYTES {
            break;
        }
        line(&mut text, number);
    }
    text
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', black_box(text.as_bytes())).fold(0, |sum, at| black_box(sum ^ at))
}

/// Prints the speed of `work` next to that of a newline scan, for the best and for the median of many rounds.
#[expect(clippy::disallowed_methods, reason = "a bench is about the wall clock")]
fn ratio(name: &str, text: &str, work: impl Fn()) {
    let mut rounds: [Vec<Duration>; 2] = Default::default();
    for _ in 0..41 {
        let start = Instant::now();
        newlines(text);
        let between = Instant::now();
        work();
        rounds[0].push(between - start);
        rounds[1].push(between.elapsed());
    }
    rounds.iter_mut().for_each(|times| times.sort());
    let speed = |time: Duration| text.len() as f64 / time.as_secs_f64() / f64::from(1 << 30);
    for (which, round) in [("best", 0), ("median", 20)] {
        let (scan, reader) = (speed(rounds[0][round]), speed(rounds[1][round]));
        println!("{name}: {:.3} of the newline scan ({reader:.2} of {scan:.2} GiB/s, {which})", reader / scan);
    }
}

fn letor(criterion: &mut Criterion) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (name, line) in [("mq2008", mq2008 as fn(&mut String, usize)), ("mslr", mslr)] {
        let text = text(line);
        let mut group = criterion.benchmark_group(format!("letor/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
        group.bench_function("newlines", |b| b.iter(|| newlines(&text)));
        let read = |normalize| {
            let options = Options { normalize, features: None, grades: None };
            one.install(|| parse(black_box(text.as_bytes()), Path::new(name), &options).unwrap())
        };
        for normalize in [Normalize::AsIs, Normalize::PerQuery] {
            group.bench_function(format!("{normalize:?}"), |b| b.iter(|| read(normalize)));
        }
        group.finish();
        for normalize in [Normalize::AsIs, Normalize::PerQuery] {
            ratio(&format!("letor/{name}/{normalize:?}"), &text, || drop(black_box(read(normalize))));
        }
    }
}

criterion_group!(benches, letor);
criterion_main!(benches);
