//! Judging by rules that replay the whole history (FLTrust, ZenoPS), compared with reading the documents of all its sessions.
//!
//! A replay is kept until the own model changes, so a rejected model leaves it to the next one.

use super::bounds::read;
use super::{Group, Meter, Subject};
use crate::node::{Node, Protocol, Received, Scratch};
use std::hint::black_box;

pub(super) fn measure(rule: &str, ranker: &str, node: &Node, protocol: &Protocol, inbox: &[Received], meter: &mut impl Meter) {
    let (d, history) = (protocol.train.n_features(), node.history());
    let queries: Vec<&[f32]> = history.sessions().iter().map(|session| protocol.train.query(session.query as usize).rows()).collect();
    let subject = Subject {
        group: Group::Judge,
        what: format!("{rule} {ranker}"),
        size: vec![("d", d as u64), ("history", history.len() as u64), ("waiting", inbox.len() as u64)],
        per: "model",
        pieces: inbox.len() as f64,
        bound: "read the sessions' documents once".into(),
        bound_times: 1.0,
        flops: 0.0,
    };
    let mut scratch = Scratch::default();
    meter.measure(
        &subject,
        || node.clone(),
        |node| _ = node.on_receive(protocol, inbox, &mut scratch),
        || queries.iter().for_each(|rows| _ = black_box(read(rows))),
    );
}
