//! Reading LETOR text on one thread, compared with a bare newline scan over the same bytes.

use super::evaluation::pool;
use super::{Effort, Group, Meter, Subject};
use crate::corpus::Normalize;
use crate::corpus::letor::{Options, parse};
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) {
    let (n_bytes, one) = (effort.choose(2 << 20, 32 << 20, 32 << 20), pool(1));
    for (name, line) in [("MQ2008", mq2008 as fn(&mut String, usize)), ("MSLR", mslr)] {
        let text = text(line, n_bytes);
        for normalize in [Normalize::AsIs, Normalize::PerQuery] {
            let options = Options { normalize, features: None, grades: None };
            let read = || one.install(|| parse(black_box(text.as_bytes()), Path::new(name), &options).expect("the text is right"));
            meter.measure(&subject(name, normalize, text.len()), || (), |()| drop(black_box(read())), || _ = newlines(&text));
        }
    }
}

fn subject(name: &str, normalize: Normalize, n_bytes: usize) -> Subject {
    Subject {
        group: Group::Parse,
        what: format!("text like {name}, {normalize:?}"),
        size: vec![("bytes", n_bytes as u64)],
        per: "MB",
        pieces: n_bytes as f64 / 1e6,
        bound: "newline scan".into(),
        bound_times: 1.0,
        flops: 0.0,
    }
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', black_box(text.as_bytes())).fold(0, |sum, at| black_box(sum ^ at))
}

fn text(line: fn(&mut String, usize), n_bytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < n_bytes {
        line(&mut text, number);
        number += 1;
    }
    text
}

/// A number that varies with `i` as irregularly as data does. It need not be random.
fn mixed(i: usize) -> usize {
    let x = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as usize
}

/// Adds a line like those of MQ2008: 46 features of six decimals, many of them zero, and a comment.
fn mq2008(text: &mut String, line: usize) {
    let _ = write!(text, "{} qid:{}", mixed(line) % 3, line / 20);
    for feature in 1..=46 {
        let draw = mixed(line * 46 + feature);
        let value = if draw.is_multiple_of(3) { 0 } else { draw % 1_000_000 };
        let _ = write!(text, " {feature}:0.{value:06}");
    }
    let _ = writeln!(text, " #docid = GX{:03}-{:02}-{:07} inc = 1 prob = 0.{:06}", line % 270, line % 100, line, line % 1_000_000);
}

/// Adds a line like those of MSLR: 136 unnormalised features, counts in some columns and scores in others, and no comment.
fn mslr(text: &mut String, line: usize) {
    let _ = write!(text, "{} qid:{}", mixed(line) % 5, line / 120);
    for feature in 1..=136 {
        let draw = mixed(line * 136 + feature);
        let _ = match feature % 10 {
            0..=2 => write!(text, " {feature}:{}", draw % 4),
            3 | 4 => write!(text, " {feature}:{}", draw % 1_000),
            5 => write!(text, " {feature}:-{}.{:06}", draw % 20, draw % 1_000_000),
            6 | 7 => write!(text, " {feature}:{}.{:06}", draw % 40, draw % 1_000_000),
            _ => write!(text, " {feature}:0"),
        };
    }
    text.push('\n');
}
