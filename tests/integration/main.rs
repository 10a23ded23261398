//! One binary for all tests that look at the program from outside its modules.

mod degenerate;
mod layers;
mod purity;
mod reference;
mod support;
mod vectors;
