//! One binary for all tests that look at the program from outside its modules.

#![allow(clippy::disallowed_methods, reason = "the reference computations are independent of math.rs")]

mod absence_and_fault_traces;
mod assumptions;
mod attack_timing;
mod attacks_meet_defences;
mod bench_command;
mod broken_models;
mod broken_output;
mod command_line;
mod drawn_figures;
mod example_figures;
mod extreme_networks;
mod f64_reference;
mod forked_runs;
mod formula_vectors;
mod independent_draws;
mod interruption;
mod layers;
mod lockstep_rounds;
mod network_models;
mod paper_scripts;
mod provenance_reference;
mod purity;
mod random_worlds;
mod real_data;
mod recomputed_tables;
mod remote_output;
mod resource_limits;
mod result_files;
mod resumed_runs;
mod runs_of_sweeps;
mod shared_data;
mod shipped_scenarios;
mod support;
mod sweep_plans;
mod sweep_submissions;
mod sweep_troubles;
mod sweeps;
mod synthetic_data;
mod thinned_evaluations;
mod timeline_state;
mod timeline_traces;
mod troubled_networks;
