//! Describes a finished run: its manifest, and its row of the table `runs`.

use super::Finished;
use crate::record::{RowCounts, RunRow, SCHEMA_VERSION};
use crate::results::{COMMIT, Identity, Inputs, Manifest, Messages, Summary, VERSION};
use crate::scenario::Scenario;
use crate::timeline::Loss;

/// The row of the table `runs`.
pub fn run_row(scenario: &Scenario, finished: &Finished, inputs: &Inputs, message_bytes: u64) -> RunRow {
    let fields = scenario.fields();
    let spelled = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone()).unwrap_or_default();
    RunRow {
        name: scenario.name.clone(),
        n_nodes: scenario.nodes as i32,
        n_malicious: scenario.n_malicious() as i32,
        attack_spelled: spelled("attack"),
        defense_spelled: spelled("defense"),
        users_spelled: spelled("users"),
        ranker_spelled: spelled("ranker"),
        dataset_spelled: spelled("dataset"),
        arrivals_spelled: spelled("arrivals"),
        churn_spelled: spelled("churn"),
        latency_spelled: spelled("latency"),
        stop_spelled: spelled("stop"),
        n_sessions: finished.tally.searches as i64,
        end_ns: finished.now.0 as i64,
        end_ndcg: finished.last.ndcg_mean,
        message_bytes: message_bytes as i64,
        data_hash: inputs.data_hash.clone(),
        fingerprint: finished.fingerprint.clone(),
        version: VERSION.into(),
        scenario: scenario.canonical(),
    }
}

/// The manifest of the result folder.
pub fn manifest<'a>(
    scenario: &'a Scenario,
    finished: &Finished,
    rows: &RowCounts,
    identity: &Identity,
    inputs: &Inputs,
) -> Manifest<&'a Scenario> {
    let Finished { tally, last, .. } = finished;
    Manifest {
        program_version: VERSION.into(),
        commit: COMMIT.into(),
        schema_version: SCHEMA_VERSION,
        run_id: identity.key.run_id.clone(),
        result_id: identity.result_id.clone(),
        seed: scenario.seed,
        inputs: inputs.clone(),
        rows: rows.clone(),
        fingerprint: finished.fingerprint.clone(),
        messages: Messages {
            sent: tally.sent,
            duplicated: tally.duplicated,
            delivered: tally.delivered,
            lost_in_transit: tally.lost_by(Loss::Transit),
            lost_offline: tally.lost_by(Loss::Offline),
            lost_partition: tally.lost_by(Loss::Partition),
            lost_expired: tally.lost_by(Loss::Expired),
            lost_overflow: tally.lost_by(Loss::Overflow),
            lost_cut: tally.lost_by(Loss::Cut),
            lost_identity: tally.lost_by(Loss::Identity),
            undelivered: tally.in_flight,
        },
        summary: Summary {
            ndcg_mean: last.ndcg_mean,
            ndcg_sd: last.ndcg_sd,
            ndcg_worst5: last.ndcg_worst5,
            ndcg_random: last.ndcg_random,
            alpha_honest: finished.alpha_honest,
            alpha_malicious: finished.alpha_malicious,
            last_alpha_honest: last.alpha_honest,
            last_alpha_malicious: last.alpha_malicious,
            deserted_ns: tally.deserted.map(|since| since.0),
        },
        scenario,
    }
}
