use super::*;
use crate::math;
use ndarray::Array2;
use proptest::prelude::*;

const D: usize = 11;
const SHAPES: [ModelShape; 2] = [ModelShape::Linear { n_features: D }, ModelShape::Neural { n_features: D, hidden: 3 }];

/// A repeatable number in [−1, 1].
fn number(i: usize) -> f32 {
    ((i * 7919 + i * i * 31) % 211) as f32 / 105.0 - 1.0
}

/// Four queries of twelve documents.
fn train() -> Split {
    let features = Array2::from_shape_fn((48, D), |(row, f)| number(row * D + f));
    Split::new(features, vec![0; 48], vec![0, 12, 24, 36, 48])
}

/// A session of query `q`: ten documents are shown from document `from` on, and the bits of `clicks` tell which were clicked.
type Played = (u32, u32, u16);

fn preferences((q, from, clicks): Played) -> (Vec<u32>, Vec<bool>, Vec<Preference>) {
    let ranking: Vec<u32> = (0..10).map(|i| (from + 5 * i) % 12).collect();
    let clicks: Vec<bool> = (0..10).map(|position| clicks >> position & 1 == 1).collect();
    let rho = |winner: u8, loser: u8| f64::from(q + 1) / f64::from(u32::from(winner) + 2 * u32::from(loser) + 3);
    let preference = |(winner, loser)| Preference { winner, loser, rho: rho(winner, loser) };
    let preferences = crate::ltr::preferences::pairs(&clicks).map(preference).collect();
    (ranking, clicks, preferences)
}

fn history(shape: ModelShape, keep: Keep, documents: Documents, played: &[Played], train: &Split) -> History {
    let mut history = History::new(shape, keep, documents);
    for &session in played {
        let (ranking, clicks, preferences) = preferences(session);
        history.push(session.0, &ranking, &clicks, &preferences, train.query(session.0 as usize));
    }
    history
}

/// The margins of each model over the remembered preferences.
fn margins(history: &History, models: &[&[f32]], train: &Split) -> Vec<Vec<f32>> {
    let mut scores = vec![Vec::new(); models.len()];
    history.score(train, models, &mut Vec::new(), &mut scores);
    let mut spans = Vec::new();
    history.spans_into(true, &mut spans);
    let of = |scores: &Vec<f32>| {
        let mut margins = Vec::new();
        margins::margins(&spans, scores, &mut margins);
        margins
    };
    scores.iter().map(of).collect()
}

fn sessions() -> impl Strategy<Value = Vec<Played>> {
    prop::collection::vec((0u32..4, 0u32..12, 0u16..1 << 10), 0..40)
}

fn keeps() -> impl Strategy<Value = Keep> {
    prop_oneof![Just(Keep::Unlimited), (1u32..12).prop_map(Keep::Last)]
}

proptest! {
    #[test]
    fn margins_are_those_of_the_remembered_sessions(played in sessions(), keep in keeps()) {
        let train = train();
        let theta: Vec<f32> = (0..D).map(|i| number(i + 900)).collect();
        let history = history(SHAPES[0], keep, Documents::Copied(Vec::new()), &played, &train);
        let remembered = match keep {
            Keep::Unlimited => &played[..],
            Keep::Last(n) => &played[played.len().saturating_sub(n as usize)..],
        };
        let mut want = (Vec::new(), Vec::new());
        for &session in remembered {
            let (ranking, _, preferences) = preferences(session);
            let score = |position: u8| math::dot(train.query(session.0 as usize).row(ranking[usize::from(position)] as usize), &theta);
            want.0.extend(preferences.iter().map(|preference| score(preference.winner) - score(preference.loser)));
            want.1.extend(preferences.iter().map(|preference| preference.rho));
        }
        prop_assert_eq!(&margins(&history, &[&theta], &train)[0], &want.0);
        prop_assert_eq!(history.rho(), &want.1);
        let shown: Vec<Vec<u32>> = history.sessions().iter().map(|session| session.ranking.to_vec()).collect();
        prop_assert_eq!(shown, remembered.iter().map(|&session| preferences(session).0).collect::<Vec<_>>());
    }

    #[test]
    fn copies_and_references_score_with_the_same_bits(played in sessions(), keep in keeps(), n_models in 1usize..9) {
        let train = train();
        for shape in SHAPES {
            let models: Vec<Vec<f32>> = (0..n_models).map(|m| (0..shape.n_weights()).map(|i| number(i + 300 * m)).collect()).collect();
            let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
            let of = |documents| margins(&history(shape, keep, documents, &played, &train), &borrowed, &train);
            prop_assert_eq!(of(Documents::Copied(Vec::new())), of(Documents::Referenced));
        }
    }

    #[test]
    fn own_margins_stay_with_their_preferences(played in sessions(), keep in keeps(), at in 0usize..40) {
        let train = train();
        let theta: Vec<f32> = (0..D).map(|i| number(i + 900)).collect();
        let (before, after) = played.split_at(at.min(played.len()));
        let mut history = history(SHAPES[0], keep, Documents::Referenced, before, &train);
        let refresh = |history: &mut History| {
            let mut scores = [Vec::new()];
            history.score(&train, &[&theta], &mut Vec::new(), &mut scores);
            let mut spans = Vec::new();
            history.spans_into(false, &mut spans);
            history.refresh_margins(&spans, &scores[0], &mut Vec::new());
        };
        refresh(&mut history);
        for &session in after {
            let (ranking, clicks, preferences) = preferences(session);
            history.push(session.0, &ranking, &clicks, &preferences, train.query(session.0 as usize));
        }
        let was_stale = history.margins_are_stale();
        prop_assert!(was_stale == after.iter().any(|&session| !preferences(session).2.is_empty()));
        if was_stale {
            refresh(&mut history);
        }
        prop_assert_eq!(history.margins(), &margins(&history, &[&theta], &train)[0]);
    }
}

#[test]
fn evidence_has_the_documents_of_each_preference() {
    let train = train();
    let played = [(0, 3, 0b1), (1, 0, 0), (2, 7, 0b10_0010)];
    let history = history(SHAPES[0], Keep::Unlimited, Documents::Referenced, &played, &train);
    let evidence: Vec<SessionEvidence> = history.evidence(&train).collect();
    for (evidence, session) in evidence.iter().zip(played) {
        let (ranking, _, preferences) = preferences(session);
        assert_eq!(evidence.preferences.len(), preferences.len());
        for (&(winner, loser, rho), preference) in evidence.preferences.iter().zip(preferences) {
            let document = |position: u8| train.query(session.0 as usize).row(ranking[usize::from(position)] as usize);
            assert_eq!(&evidence.documents[winner * D..][..D], document(preference.winner));
            assert_eq!(&evidence.documents[loser * D..][..D], document(preference.loser));
            assert_eq!(rho, preference.rho);
        }
    }
}

#[test]
fn a_referenced_session_takes_little_memory() {
    let train = train();
    let played: Vec<Played> = (0..20).map(|i| (i % 4, i % 12, 0b100_0100)).collect();
    let history = history(SHAPES[0], Keep::Unlimited, Documents::Referenced, &played, &train);
    let bytes = 20 * history.sessions.capacity() + 4 * history.shown.capacity() + 8 * history.rho.capacity();
    assert_eq!((size_of::<Stored>(), history.rho.len()), (20, 240));
    assert!(bytes < 20 * 190, "{bytes}");
}
