//! The schema: every table and every column with its meaning and its unit. `rankguard schema` prints it.

use super::Recorder;
use super::cell::{Cell, cells, type_name};
use super::column::Column;
use super::run_key::RunKey;
use super::table::{DOC, NEAR_ROWS, Row, append, field, in_order, tables};
use crate::error::Result;
use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// The version of the schema. It rises whenever a table or column is added, is removed, or changes its meaning, and stands in every file's
/// footer.
pub const SCHEMA_VERSION: u32 = 6;

tables! {
    /// One row, the run: what it was and what it came to; it joins with every other table by `NATURAL JOIN`.
    runs: Runs(RunRow) {
        /// The scenario's name.
        name: String,
        /// Nodes of the network, malicious ones included.
        n_nodes: i32,
        /// Malicious nodes.
        n_malicious: i32,
        /// The attack with its parameters, as a scenario writes it.
        attack_spelled: String,
        /// The defence with its parameters, as a scenario writes it.
        defense_spelled: String,
        /// How honest users click, as a scenario writes it; so are the next six columns.
        users_spelled: String,
        /// What ranks, and how it learns.
        ranker_spelled: String,
        /// Where the documents come from.
        dataset_spelled: String,
        /// When users search.
        arrivals_spelled: String,
        /// How nodes come and go.
        churn_spelled: String,
        /// How long messages travel.
        latency_spelled: String,
        /// How long the run was to be.
        stop_spelled: String,
        /// Searches that took place, those of malicious nodes included.
        n_sessions: i64,
        /// Virtual time at the end in nanoseconds.
        end_ns: i64,
        /// Mean nDCG over the evaluated honest nodes at the end.
        end_ndcg: f64,
        /// The size of a message in bytes: its model and its header.
        message_bytes: i64,
        /// Hash of the documents, as they were read or made.
        data_hash: String,
        /// Hash of everything that happened.
        fingerprint: String,
        /// Version of the program.
        version: String,
        /// The whole scenario with every default filled in, as a scenario file writes it.
        scenario: String,
    }

    /// One row per node: who it is.
    nodes: Nodes(NodeRow) {
        /// The node.
        node: i32,
        /// Whether it is malicious.
        malicious: bool,
        /// The attack that it carries out, which may be its part of a mix; null if it is honest.
        plays: Option<&'static str>,
        /// The region where it lives.
        region: &'static str,
        /// The line of its host in the file of latencies or coordinates, from 0 and without comments; null if there is no such file.
        host: Option<i32>,
        /// How often it searches, relative to the average node.
        rate: f64,
        /// Virtual time of its first join in nanoseconds, 0 if it is there at the start; null if it never joined.
        first_join_ns: Option<i64>,
    }

    /// One row per evaluation and evaluated node: how well its model ranks the test queries.
    evaluations: Evaluations(EvaluationRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Number of the evaluation, from 0.
        evaluation: i32,
        /// Virtual time in nanoseconds.
        at_ns: i64,
        /// Whose model.
        node: i32,
        /// Whether the node was online at that moment.
        online: bool,
        /// The node's own searches so far.
        searches: i32,
        /// Mean nDCG of the model on the test queries, 0 to 1.
        ndcg: f64,
        /// How much of the model malicious nodes put in, 0 to 1: |M| / (|M| + |H|) of θ = H + M; null if θ is 0 or not finite.
        exposure: Option<f64>,
        /// Which way that works: ⟨M, H⟩ / |H|², negative against what honest nodes taught; null where exposure is.
        pull: Option<f64>,
        /// Mean age of what the model has learned, by length of the learning steps, in nanoseconds; null if it has learned nothing.
        age_ns: Option<i64>,
    }

    /// One row per model that reached a node: who sent it and what became of it.
    receipts: Receipts(ReceiptRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Virtual time of arrival in nanoseconds.
        at_ns: i64,
        /// Virtual time of sending in nanoseconds.
        sent_ns: i64,
        /// The node that received.
        receiver: i32,
        /// Whether the receiver is malicious.
        receiver_malicious: bool,
        /// The node that sent.
        sender: i32,
        /// Whether the sender is malicious.
        sender_malicious: bool,
        /// What became of the model: merged, rejected, ignored, discarded, buffered, or pooled where it filled a pool that was then merged.
        outcome: &'static str,
        /// Why it got no weight: not finite, too large, no weight, wrong direction, zero norm, too far, dissimilar, high loss, known malicious, trimmed; else null.
        reason: Option<&'static str>,
        /// Sessions of the receiver's history that the model was judged by; 0 where the rule asks none.
        judged_sessions: i32,
        /// The t statistic of those sessions; null where it is undefined or the rule has none.
        t: Option<f64>,
        /// Weight in effect of the received model, 0 to 1; where it filled a pool, of the whole pool.
        alpha: f64,
        /// Where it filled a pool, the weight in effect of each pooled model, oldest first; else empty.
        weights: Vec<f64>,
        /// Whether it was made for its receiver and is just the receiver's own model; such models are left out of the alphas of `curve`.
        noop: bool,
        /// How much of the received model malicious nodes put in, 0 to 1; null if it is 0 or not finite, or an attacker sent it to another.
        exposure: Option<f64>,
        /// Which way that works: negative against what honest nodes taught; null where exposure is.
        pull: Option<f64>,
        /// Mean age of what the received model has learned, in nanoseconds; null if it has learned nothing.
        age_ns: Option<i64>,
    }

    /// One row per search of a user.
    searches: Searches(SearchRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Virtual time in nanoseconds.
        at_ns: i64,
        /// The node that searched.
        node: i32,
        /// Whether the node is malicious.
        malicious: bool,
        /// Index of the query among the training queries; -1 where an attacker only sends.
        query: i32,
        /// Documents to rank.
        candidates: i32,
        /// Documents clicked.
        clicks: i32,
        /// Preferences (pairs of documents) inferred from the clicks.
        pairs: i32,
        /// nDCG of the list the user saw, 0 to 1.
        ndcg: f64,
        /// Messages sent after the search.
        sent: i64,
        /// Of these, lost on the way.
        lost: i64,
    }

    /// One row per join or leave of a node; the first rows say who is there when the run begins.
    presence: Presence(PresenceRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Virtual time in nanoseconds.
        at_ns: i64,
        /// The node that joined or left.
        node: i32,
        /// Its state from this moment on.
        online: bool,
        /// How often it has come back as somebody else, where returning nodes have a new identity; else 0.
        life: i32,
    }

    /// One row per fault that begins, and one per fault that ends by itself.
    faults: Faults(FaultRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Virtual time in nanoseconds.
        at_ns: i64,
        /// Its position in the scenario's list, from 0.
        fault: i32,
        /// What happens: partition, one-way, heal, hold, release, crash, restart, dark, slow or lossy.
        what: &'static str,
        /// Whether it begins; otherwise it ends.
        begins: bool,
        /// How many nodes it concerns.
        concerned: i32,
    }

    /// One row per evaluation: the whole network in numbers, ready to plot.
    curve: Curve(CurveRow) {
        /// Position in the total order of steps; rows are sorted by it.
        step: i64,
        /// Number of the evaluation, from 0.
        evaluation: i32,
        /// Virtual time in nanoseconds.
        at_ns: i64,
        /// Searches of the whole network so far.
        sessions: i64,
        /// Honest nodes evaluated.
        evaluated: i32,
        /// Honest nodes that have joined; the evaluated ones are a sample of them, or all.
        evaluated_of: i32,
        /// Test queries that models ranked.
        queries: i32,
        /// Test queries with a relevant document; those that models ranked are a sample of them, or all.
        queries_of: i32,
        /// Nodes online, malicious ones included.
        online_nodes: i32,
        /// Mean nDCG over the evaluated nodes.
        ndcg_mean: f64,
        /// Standard deviation of nDCG over the evaluated nodes.
        ndcg_sd: f64,
        /// Mean nDCG of the worst 5 % of the evaluated nodes, at least one.
        ndcg_worst5: f64,
        /// Lowest nDCG of an evaluated node.
        ndcg_min: f64,
        /// Expected nDCG of a random ranking of these queries.
        ndcg_random: f64,
        /// Mean alpha that honest nodes gave to honest senders since the previous evaluation; null if nothing came.
        alpha_honest: Option<f64>,
        /// Mean alpha that honest nodes gave to malicious senders since the previous evaluation; null if nothing came.
        alpha_malicious: Option<f64>,
        /// Area under the ROC curve of these alphas for honest against malicious senders; null if one kind is missing.
        auc: Option<f64>,
        /// Mean exposure of the evaluated nodes: how much of their models malicious nodes put in, 0 to 1.
        exposure: Option<f64>,
        /// Mean pull of the evaluated nodes: which way that works, negative against what honest nodes taught.
        pull: Option<f64>,
        /// Mean age of what the evaluated nodes' models have learned, in nanoseconds.
        age_ns: Option<i64>,
        /// Messages sent so far.
        sent: i64,
        /// Messages delivered so far.
        delivered: i64,
        /// Messages lost so far.
        lost: i64,
    }

    /// One row per quantity and quantile, over all delivered messages of the run.
    histograms: Histograms(HistogramRow) {
        /// What was measured: delay (from sending to delivery) or transfer (in uploads, downloads and their queues).
        quantity: &'static str,
        /// The share of messages that did not exceed the value, 0 to 1.
        quantile: f64,
        /// The value in nanoseconds, to three digits.
        value_ns: i64,
        /// Messages measured.
        count: i64,
    }

    /// One row per outcome: what became of all messages of the run.
    outcomes: Outcomes(OutcomeRow) {
        /// delivered, undelivered at the end, or lost: on the way, receiver offline, partition, expired, mailbox full, sender left, new identity.
        outcome: &'static str,
        /// Messages, second ones made by the network included.
        messages: i64,
    }

    /// One row per kept model: its weights.
    models: Models(ModelRow) {
        /// Number of the evaluation, from 0.
        evaluation: i32,
        /// Whose model.
        node: i32,
        /// Whether the node is malicious.
        malicious: bool,
        /// Weights, in the order of the ranker.
        theta: Vec<f32>,
    }
}

/// Every table and column in words.
pub fn schema_text() -> String {
    let mut text = format!("schema version {SCHEMA_VERSION}\n");
    let first = "every table begins with these columns, and for a run of a sweep with one more for each axis:";
    let tables = Table::ALL.iter().map(|table| (format!("{}: {}", table.name(), table.about()), table.own_fields()));
    for (head, fields) in [(first.to_string(), RunKey::fields())].into_iter().chain(tables) {
        let _ = writeln!(text, "\n{head}"); // writing to a String cannot fail
        for field in fields {
            let _ = writeln!(text, "{}", column_text(&field));
        }
    }
    text
}

/// The same as data.
pub fn schema_data() -> Value {
    let column = |field: &Field| {
        let (kind, meaning) = (type_name(field.data_type()), field.metadata()[DOC].as_str());
        json!({ "name": field.name(), "type": kind, "nullable": field.is_nullable(), "meaning": meaning })
    };
    let columns = |fields: &[Field]| fields.iter().map(column).collect::<Vec<_>>();
    let table = |table: &Table| json!({ "name": table.name(), "meaning": table.about(), "columns": columns(&table.own_fields()) });
    let tables: Vec<Value> = Table::ALL.iter().map(table).collect();
    json!({ "version": SCHEMA_VERSION, "first_columns": columns(&RunKey::fields()), "tables": tables })
}

fn column_text(field: &Field) -> String {
    let nullable = if field.is_nullable() { "nullable" } else { "" };
    format!("  {:<18}  {:<13}  {nullable:<8}  {}", field.name(), type_name(field.data_type()), field.metadata()[DOC])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_schema_prints_aligned_with_its_version() {
        let text = schema_text();
        for line in [
            "schema version 6",
            "every table begins with these columns, and for a run of a sweep with one more for each axis:",
            "  run_id              string                   Names the run by a hash of its scenario, without `name` and `record`, and of its data; joins with `runs`.",
            "presence: One row per join or leave of a node; the first rows say who is there when the run begins.",
            "  step                int64                    Position in the total order of steps; rows are sorted by it.",
            "  reason              string         nullable  Why it got no weight: not finite, too large, no weight, wrong direction, zero norm, too far, dissimilar, high loss, known malicious, trimmed; else null.",
            "  t                   float64        nullable  The t statistic of those sessions; null where it is undefined or the rule has none.",
            "  receiver_malicious  boolean                  Whether the receiver is malicious.",
            "  theta               list<float32>            Weights, in the order of the ranker.",
        ] {
            assert!(text.lines().any(|printed| printed == line), "{line}\nis not in\n{text}");
        }
    }

    #[test]
    fn every_table_and_column_is_explained_in_one_sentence() {
        for table in Table::ALL {
            let schema = table.schema();
            let docs = schema.fields().iter().map(|field| field.metadata()[DOC].as_str());
            for doc in docs.chain([table.about()]) {
                assert!(doc.ends_with('.') && !doc.contains('\n'), "{}: {doc}", table.name());
            }
        }
    }

    #[test]
    fn time_and_order_are_64_bits_wide_and_no_column_is_unsigned() {
        for field in Table::ALL.iter().flat_map(|table| table.schema().fields().to_vec()) {
            let wide = field.name() == "step" || field.name().ends_with("_ns");
            assert!(!wide || type_name(field.data_type()) == "int64", "{field}");
            assert!(!type_name(field.data_type()).contains("uint"), "{field}");
        }
    }

    #[test]
    fn every_table_begins_with_its_run_and_parameters() {
        for table in Table::ALL {
            let schema = table.schema();
            let first: Vec<String> = schema.fields()[..6].iter().map(|f| format!("{} {}", f.name(), type_name(f.data_type()))).collect();
            let expect = ["run_id string", "seed int64", "defense string", "attack string", "users string", "malicious_share float64"];
            assert_eq!(first, expect, "{}", table.name());
        }
    }

    #[test]
    fn a_column_name_has_one_type_in_all_tables() {
        let mut types: BTreeMap<String, (String, &str)> = BTreeMap::new();
        for table in Table::ALL {
            for field in table.schema().fields() {
                let this = type_name(field.data_type());
                let (first, there) = types.entry(field.name().clone()).or_insert((this.clone(), table.name()));
                assert_eq!(*first, this, "`{}` of {there} and of {}", field.name(), table.name());
            }
        }
    }

    #[test]
    fn a_join_with_runs_leaves_no_own_column_ambiguous() {
        let names = |table: Table| table.own_fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        for table in Table::ALL.iter().filter(|table| **table != Table::Runs) {
            assert!(names(*table).iter().all(|name| !names(Table::Runs).contains(name)), "{}: {:?}", table.name(), names(*table));
        }
    }

    #[test]
    fn memory_keeps_rows_by_table_in_order() {
        let row = |step| PresenceRow { step, at_ns: 10 * step, node: 3, online: true, life: 0 };
        let mut memory = MemoryRecorder::default();
        memory.record(Rows::Presence(vec![row(1), row(2)])).expect("memory never fails");
        memory.record(Rows::Presence(vec![row(5)])).expect("memory never fails");
        assert_eq!(memory, MemoryRecorder { presence: vec![row(1), row(2), row(5)], ..Default::default() });
    }
}
