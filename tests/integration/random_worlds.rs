//! Random scenarios, made from the declarations of all fields: each is refused with a message, or runs to its end and loses track of nothing.

use crate::support::{corpus, text};
use rankguard::adversary::Attack;
use rankguard::fields::random::random;
use rankguard::fields::{Declared, Form, Kind, Type};
use rankguard::node::Ranker;
use rankguard::record::NullRecorder;
use rankguard::run::{Params, run};
use rankguard::scenario::{Room, Scenario};
use rankguard::world::World;

/// A small network with up to four random fields, as text.
fn random_fields(seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut draw = |n: u64| {
        // Steele, Lea and Flood's SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    };
    let Kind::Named(Type { form: Form::Fields(fields), .. }) = Scenario::kind() else { panic!("a scenario has fields") };
    (0..1 + draw(4))
        .map(|_| {
            let field = &fields[draw(fields.len() as u64) as usize];
            format!("{}={}", field.name, random((field.kind)(), &field.limits, &mut draw))
        })
        .collect()
}

fn world(fields: &[String]) -> Option<World> {
    let scenario = Scenario::read_from(text(&[]).as_bytes(), "random.ron", fields);
    scenario.and_then(|scenario| scenario.resolve_within(Room { memory: Some(100_000_000), disk: None })).ok()
}

/// Whether it is over soon.
fn is_small(world: &World) -> bool {
    let (scenario, estimate) = (world.scenario(), world.estimate(None));
    let is_small_ranker = !matches!(scenario.ranker, Ranker::Neural { hidden, .. } if hidden > 64);
    let is_quick = !world.roles().attacks().iter().any(|attack| matches!(attack, Attack::Adapt { steps, .. } if *steps > 50));
    is_small_ranker
        && is_quick
        && estimate.evaluations < 100.0
        && estimate.memory.is_none_or(|memory| memory.total() < 1e9)
        && estimate.searches + estimate.between + estimate.sent + estimate.changes < 20_000.0
}

#[test]
fn any_world_runs_to_its_end() {
    let (corpus, mut n_runs) = (corpus(), 0);
    for seed in 0..600 {
        let fields = random_fields(seed);
        let Some(world) = world(&fields).filter(is_small) else { continue };
        // A run that panics says which fields it had.
        let finished = std::panic::catch_unwind(|| run(&world, Params { threads: 2, ..Params::new(&corpus, &mut NullRecorder) }));
        let finished = finished.unwrap_or_else(|_| panic!("{fields:?}")).unwrap_or_else(|error| panic!("{fields:?}: {error}"));
        assert!(finished.tally.is_conserved() && (0.0..=1.0).contains(&finished.last.ndcg_mean), "{fields:?}");
        n_runs += 1;
    }
    assert!(n_runs > 200, "only {n_runs} of 600 ran");
}
