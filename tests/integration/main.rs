//! One binary for all tests that look at the program from outside its modules.

#![allow(clippy::disallowed_methods, reason = "the reference computations are independent of math.rs")]

mod adversarial;
mod cli;
mod degenerate;
mod edges;
mod hostile;
mod layers;
mod models;
mod network;
mod purity;
mod reference;
mod results;
mod scenarios;
mod semantics;
mod shared;
mod support;
mod timing;
mod trace;
mod vectors;
