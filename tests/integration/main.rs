//! One binary for all tests that look at the program from outside its modules.

#![allow(clippy::disallowed_methods, reason = "the reference computations are independent of math.rs")]

mod adversarial;
mod assumptions;
mod cli;
mod degenerate;
mod draws;
mod edges;
mod hostile;
mod interruption;
mod layers;
mod limits;
mod measures;
mod models;
mod network;
mod output;
mod paper;
mod parts;
mod purity;
mod real_data;
mod reference;
mod results;
mod scenarios;
mod semantics;
mod support;
mod synthetic;
mod timeline_state;
mod timing;
mod trace;
mod vectors;
