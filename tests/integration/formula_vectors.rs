//! The formulas against numbers from an independent implementation, which stand in tests/vectors.json.

use rankguard::ltr::session_score::{Evidence, alpha, evidence, session_score};
use rankguard::ltr::{Ndcg, Preference, Slate, linear, pdgd, plackett_luce, preferences};
use rankguard::math;
use rankguard::node::defend::pooled::{self, Center, Divisor};
use rankguard::node::defend::reference;
use serde_json::Value;

/// The cases of one group; every group must be there.
fn cases(group: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../vectors.json")).expect("vectors.json is JSON");
    let cases = all[group]["cases"].as_array().expect(group).clone();
    assert!(cases.len() >= 10, "{group} has cases");
    cases
}

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().expect("inf and nan are written as text"),
        None => value.as_f64().expect("a number"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list").iter().map(numbers).collect()
}

fn indices(value: &Value) -> Vec<u32> {
    numbers(value).iter().map(|&x| x as u32).collect()
}

fn pairs(value: &Value) -> Vec<(usize, usize)> {
    matrix(value).iter().map(|pair| (pair[0] as usize, pair[1] as usize)).collect()
}

fn clicks(value: &Value) -> Vec<bool> {
    numbers(value).iter().map(|&x| x != 0.0).collect()
}

#[track_caller]
fn close(got: f64, want: f64, tolerance: f64) {
    assert!(got == want || (got - want).abs() <= tolerance * want.abs().max(1e-300), "{got}, not {want}");
}

#[test]
fn plackett_luce_probabilities() {
    for case in cases("plackett_luce") {
        let got = plackett_luce::log_probability(&numbers(&case["scores"]), &indices(&case["ranking"]));
        close(got, number(&case["log_prob"]), 1e-12);
    }
}

#[test]
fn examined_positions_and_pairs() {
    for case in cases("pairs") {
        let clicks = clicks(&case["clicks"]);
        assert_eq!(preferences::n_examined(&clicks) as u64, case["examined"].as_u64().expect("a count"));
        let got: Vec<(usize, usize)> = preferences::pairs(&clicks).map(|(i, j)| (i.into(), j.into())).collect();
        assert_eq!(got, pairs(&case["pairs"]));
    }
}

#[test]
fn rho_of_pairs() {
    for case in cases("rho") {
        let slate = Slate::new(&numbers(&case["scores"]), &indices(&case["ranking"]), &mut Vec::new());
        for ((a, b), want) in pairs(&case["pairs"]).into_iter().zip(numbers(&case["rho"])) {
            close(slate.rho(a, b), want, 1e-12);
        }
    }
}

#[test]
fn pdgd_gradients() {
    for case in cases("pdgd_gradient") {
        let (features, weights) = (matrix(&case["features"]), numbers(&case["weights"]));
        let scores: Vec<f64> = features.iter().map(|x| x.iter().zip(&weights).map(|(x, w)| x * w).sum()).collect();
        let (ranking, clicks) = (indices(&case["ranking"]), clicks(&case["clicks"]));
        let slate = Slate::new(&scores, &ranking, &mut Vec::new());
        let learned: Vec<Preference> = pdgd::preferences(&slate, &clicks).collect();
        for (preference, want) in learned.iter().zip(numbers(&case["rho"])) {
            close(preference.rho, want, 1e-12);
        }
        let by_position = pdgd::document_weights(&slate, &learned);
        for (got, want) in by_position.iter().zip(numbers(&case["doc_weights_by_position"])) {
            assert!((got - want).abs() < 1e-14, "{got}, not {want}");
        }
        let score = session_score(learned.iter().map(|p| (p.rho, slate.margin(p.winner.into(), p.loser.into()))));
        close(score, number(&case["session_score"]), 1e-12);

        // The kernels in f32, from the features on.
        let rows: Vec<f32> = features.iter().flatten().map(|&x| x as f32).collect();
        let theta: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
        let d = theta.len();
        let mut scores = Vec::new();
        linear::scores(&rows, &theta, &mut scores);
        let slate = Slate::new(&scores, &ranking, &mut Vec::new());
        let learned: Vec<Preference> = pdgd::preferences(&slate, &clicks).collect();
        let by_position = pdgd::document_weights(&slate, &learned);
        let documents = ranking.iter().map(|&r| &rows[r as usize * d..(r as usize + 1) * d]);
        let mut gradient = vec![0.0; d];
        linear::gradient(documents.zip(by_position), &mut gradient);
        for (got, want) in gradient.iter().zip(numbers(&case["gradient"])) {
            assert!((got - want).abs() <= 1e-5 * want.abs().max(0.01), "{got}, not {want}");
        }
        let mut moved = theta.clone();
        pdgd::step(&mut moved, 0.1, &gradient);
        for (got, want) in moved.iter().zip(numbers(&case["updated_weights_eta_0.1"])) {
            assert!((f64::from(*got) - want).abs() <= 1e-5 * want.abs().max(0.01), "{got}, not {want}");
        }
    }
}

#[test]
fn session_scores() {
    for case in cases("session_score") {
        let (scores, rho) = (numbers(&case["scores_by_position"]), numbers(&case["rho"]));
        let margins: Vec<f64> = pairs(&case["pairs"]).iter().map(|&(i, j)| scores[i] - scores[j]).collect();
        let want = number(&case["score"]);
        close(session_score(rho.iter().copied().zip(margins.iter().copied())), want, 1e-12);
        // And the kernel, on margins in f32.
        let margins: Vec<f32> = margins.iter().map(|&m| m as f32).collect();
        let mut log_sigmoid = vec![0.0; margins.len()];
        math::log_sigmoids(&margins, &mut log_sigmoid);
        let got: f64 = rho.iter().zip(log_sigmoid).map(|(rho, s)| rho * s).sum();
        assert!((got - want).abs() <= 1e-5 * want.abs() + 1e-12, "{got}, not {want}");
    }
}

#[test]
fn t_and_alpha() {
    for case in cases("alpha") {
        let x = numbers(&case["x"]);
        let evidence = evidence(&x);
        match evidence {
            Evidence::T(t) => close(t, number(&case["t"]), 1e-12),
            Evidence::Undecided => assert_eq!(number(&case["t"]), 0.0),
        }
        close(alpha(evidence, number(&case["kappa"]), number(&case["undefined"])), number(&case["alpha"]), 1e-12);
        close(math::mean_sd(&x).0, number(&case["mean"]), 1e-12);
    }
}

#[test]
fn ndcg_at_ten() {
    for case in cases("ndcg10") {
        let scores: Vec<f32> = numbers(&case["scores"]).iter().map(|&s| s as f32).collect();
        let grades: Vec<u8> = indices(&case["relevance"]).iter().map(|&g| g as u8).collect();
        match (Ndcg::at(10).of_scores(&scores, &grades), &case["ndcg10"]) {
            (None, Value::Null) => {}
            (Some(got), want) => close(got, number(want), 1e-12),
            (None, want) => panic!("skipped, but {want} was expected"),
        }
    }
}

#[test]
fn lie_sends_the_mean_less_z_deviations() {
    for case in cases("lie") {
        let (n, m) = (number(&case["n"]), number(&case["m"]));
        let s = (n / 2.0 + 1.0).floor() - m;
        close(math::normal_quantile((n - m - s) / (n - m)), number(&case["z"]), 1e-12);
        close(math::normal_quantile(1.0 - m / n), number(&case["z_one_minus_beta"]), 1e-12);
        let models = matrix(&case["honest_models"]);
        for (c, want) in numbers(&case["sent"]).into_iter().enumerate() {
            let (mu, sigma) = math::mean_sd(&models.iter().map(|model| model[c]).collect::<Vec<_>>());
            close(mu, number(&case["mu"][c]), 1e-12);
            close(sigma, number(&case["sigma"][c]), 1e-12);
            assert!((mu - number(&case["z"]) * sigma - want).abs() < 1e-12);
        }
    }
}

#[track_caller]
fn all_close(got: &[f64], want: &Value, tolerance: f64) {
    let want = numbers(want);
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= tolerance * want.abs().max(1.0), "{got}, not {want}");
    }
}

#[test]
fn fltrust_merges() {
    for case in cases("fltrust") {
        let [own, received, reference] = ["own", "received", "reference"].map(|name| numbers(&case[name]));
        let scale = reference::fltrust(&difference(&received, &own), &reference);
        assert_eq!(scale.is_ok(), case["accepted"].as_bool().expect("a verdict"));
        if let Ok(scale) = scale {
            all_close(&moved(&own, &received, scale), &case["result"], 1e-12);
        }
    }
}

#[test]
fn zenops_merges() {
    for case in cases("zenops") {
        let [own, received, reference] = ["own", "received", "reference"].map(|name| numbers(&case[name]));
        let scale = reference::zenops(&difference(&received, &own), &reference, -0.02, 0.0, 0.0);
        assert_eq!(scale.is_ok(), case["accepted"].as_bool().expect("a verdict"));
        if let Ok(scale) = scale {
            all_close(&moved(&own, &received, scale), &case["result"], 1e-12);
        }
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// own + scale · (received − own).
fn moved(own: &[f64], received: &[f64], scale: f64) -> Vec<f64> {
    own.iter().zip(difference(received, own)).map(|(own, g)| own + scale * g).collect()
}

#[test]
fn pooled_rules() {
    for case in cases("robust_aggregation") {
        let (own, models, f) = (numbers(&case["own"]), matrix(&case["buffer"]), number(&case["f"]) as usize);
        let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
        all_close(&pooled::clipped_mean(&own, &buffer, f, Center::Own).theta, &case["cs"], 1e-12);
        all_close(&pooled::clipped_mean(&own, &buffer, f, Center::Median).theta, &case["cs_median_centre"], 1e-12);
        all_close(&pooled::nearest_mean(&own, &buffer, f, Center::Own, Divisor::All).theta, &case["gts"], 1e-12);
        all_close(&pooled::nearest_mean(&own, &buffer, f, Center::Own, Divisor::Kept).theta, &case["gts_kept_divisor"], 1e-12);
        all_close(&pooled::nearest_mean(&own, &buffer, f, Center::Median, Divisor::All).theta, &case["gts_median_centre"], 1e-12);
        all_close(&pooled::trimmed_mean(Some(&own), &buffer, f).theta, &case["cwtm_with_own"], 1e-12);
        all_close(&pooled::trimmed_mean(None, &buffer, f).theta, &case["cwtm_buffer_only"], 1e-12);
        all_close(&pooled::median(&own, &buffer).theta, &case["median_with_own"], 1e-12);
    }
}

#[test]
fn every_group_has_its_test() {
    let all: Value = serde_json::from_str(include_str!("../vectors.json")).expect("vectors.json is JSON");
    let here = include_str!("formula_vectors.rs");
    for group in all.as_object().expect("an object").keys() {
        assert!(here.contains(&format!("cases(\"{group}\")")), "{group} is not tested");
    }
}
