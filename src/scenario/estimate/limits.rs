//! Limits on the cost of a run: the memory and the disk of the machine, and numbers of rows and events that are rarely intended.

use super::Estimate;
use super::show::count;
use crate::error::{Error, Result};
use crate::units::size;

/// Most tools that open tables have trouble with more rows.
const MAX_ROWS: f64 = 1e9;
/// At a microsecond per event, the network alone then takes more than a day.
const MAX_EVENTS: f64 = 1e11;
/// The mean size of a compressed row over all tables but `models`.
const ROW_BYTES: f64 = 40.0;

/// The free memory and disk of the machine; `None` if the machine does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Bytes of memory that are available.
    pub memory: Option<u64>,
    /// Bytes that are free on the disk of the results.
    pub disk: Option<u64>,
}

impl Estimate {
    /// All reasons why the run should not be begun, each with its figures and a remedy. The list is empty if the run fits.
    pub fn excess(&self, room: Room) -> Vec<String> {
        let memory = self.memory.and_then(|memory| too_much_memory(memory.total(), &memory.parts(), room));
        [memory, self.too_many_events(), self.too_many_rows(), self.too_little_disk(room)].into_iter().flatten().collect()
    }

    /// Refuses a run that should not be begun.
    ///
    /// # Errors
    /// There is a reason. The message has one line for each.
    pub fn refuse(&self, name: &str, room: Room) -> Result<()> {
        let reasons: Vec<String> = self.excess(room).iter().map(|reason| format!("{name}: {reason}")).collect();
        if reasons.is_empty() { Ok(()) } else { Err(Error::too_large(reasons.join("\n"))) }
    }

    /// The reasons of a run of the network alone, which keeps no rows.
    pub fn excess_of_network(&self, room: Room) -> Vec<String> {
        [self.memory_of_network(room), self.too_many_events()].into_iter().flatten().collect()
    }

    /// Tells that the network alone does not fit into memory; `None` if it does.
    pub fn memory_of_network(&self, room: Room) -> Option<String> {
        too_much_memory(self.network, &[("network", self.network)], room)
    }

    fn too_many_events(&self) -> Option<String> {
        let events = self.searches + self.between + self.sent + self.changes;
        (events > MAX_EVENTS).then(|| {
            format!("about {} searches, messages and changes of presence would take days; shorten stop or lower rates", count(events))
        })
    }

    fn too_many_rows(&self) -> Option<String> {
        let rows: f64 = self.rows.iter().map(|(_, rows)| rows).sum();
        let (most, n) = self.rows.iter().fold(("", 0.0), |most, row| if row.1 > most.1 { *row } else { most });
        let remedy = if most == "models" { "Last" } else { "OneIn(1000)" };
        (rows > MAX_ROWS).then(|| {
            format!("about {} rows would be written, {} of them in {most}; keep fewer by record: ({most}: {remedy})", count(rows), count(n))
        })
    }

    fn too_little_disk(&self, room: Room) -> Option<String> {
        let free = room.disk.filter(|free| self.disk > *free as f64)?;
        Some(format!(
            "about {} of results would be written, but {} are free on the disk; keep fewer rows by record, or choose another --out",
            size(self.disk),
            size(free as f64)
        ))
    }
}

/// Bytes that tables with these numbers of rows take on the disk, if each model has `n_weights` weights.
pub fn disk(rows: &[(&str, f64)], n_weights: usize) -> f64 {
    let bytes = |table: &str| if table == "models" { 4.0 * n_weights as f64 } else { ROW_BYTES };
    rows.iter().map(|(table, rows)| rows * bytes(table)).sum()
}

fn too_much_memory(needed: f64, parts: &[(&str, f64)], room: Room) -> Option<String> {
    let available = room.memory.filter(|available| needed > *available as f64)?;
    let parts: Vec<String> =
        parts.iter().filter(|(_, part)| *part > needed / 100.0).map(|(name, part)| format!("{name} {}", size(*part))).collect();
    Some(format!(
        "about {} of memory are needed ({}), but {} are available; make it smaller",
        size(needed),
        parts.join(", "),
        size(available as f64)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::GOOD;
    use crate::scenario::{Estimate, Scenario};

    const ROOM: Room = Room { memory: Some(16_000_000_000), disk: Some(100_000_000_000) };

    /// GOOD with `part` replaced by `by` exceeds `room` for these reasons, whose parts are separated by `…`.
    #[track_caller]
    fn check(part: &str, by: &str, room: Room, reasons: &[&str]) {
        let scenario = Scenario::parse(&GOOD.replace(part, by), "x.ron").unwrap_or_else(|error| panic!("{error}"));
        let excess = Estimate::of(&scenario, None).excess(room);
        assert_eq!(excess.len(), reasons.len(), "{excess:?}");
        for (reason, expect) in excess.iter().zip(reasons) {
            assert!(expect.split('…').all(|word| reason.contains(word)), "no {expect} in {reason}");
        }
    }

    #[test]
    fn what_fits_is_let_through() {
        check("", "", ROOM, &[]);
        check("", "", Room::default(), &[]);
    }

    #[test]
    fn memory_that_is_not_there_is_told_with_its_parts() {
        let data = "like: Istella, train_queries: 1000000";
        check(
            "like: Web30k, train_queries: 100",
            data,
            ROOM,
            &["about 286 GB of memory are needed (data set 285 GB), but 16.0 GB are available"],
        );
        check("like: Web30k, train_queries: 100", data, Room { memory: None, ..ROOM }, &[]);
        let little = Room { memory: Some(1_000_000_000), ..ROOM };
        check("Linear(eta: 0.1)", "Neural(eta: 0.1, hidden: 65536)", little, &["(models 18.1 GB), but 1.00 GB are available"]);
    }

    #[test]
    fn a_network_alone_needs_memory_too() {
        let text = GOOD.replace("nodes: 100", "nodes: 2147483647").replace("10min", "1000h");
        let estimate = Estimate::of(&Scenario::parse(&text, "x.ron").expect("it is a scenario"), None);
        let excess = estimate.excess_of_network(ROOM);
        assert!(excess.len() == 1 && excess[0].contains("about 644 GB of memory are needed (network 644 GB)"), "{excess:?}");
        assert!(estimate.excess_of_network(Room::default()).is_empty());
    }

    #[test]
    fn rows_events_and_disks_have_their_limits() {
        let often = |fields: &str| GOOD.replace("receipts: OneIn(10)", fields).replace("10min", "10ms");
        let of = |text: &str, room| Estimate::of(&Scenario::parse(text, "x.ron").expect("it is a scenario"), None).excess(room);
        let rows = of(&often("receipts: All").replace("2h", "2000h"), Room { memory: None, disk: Some(1_000_000_000) });
        assert!(
            rows.len() == 2 && rows[0].contains("rows would be written,") && rows[0].ends_with("record: (receipts: OneIn(1000))"),
            "{rows:?}"
        );
        assert!(rows[1].contains("of results would be written, but 1.00 GB are free"), "{rows:?}");
        let events =
            of(&GOOD.replace("loss: 0.001", "attackers: (rate: 100000000)").replace("receipts: OneIn(10)", "receipts: Nothing"), ROOM);
        assert!(events[0].contains("would take days"), "{events:?}");
    }
}
