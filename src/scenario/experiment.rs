//! The fields of a scenario as text, and the scenario without those that do not change what happens.

use super::Scenario;
use crate::node::HistoryRows;
use crate::record::Record;

impl Scenario {
    /// All fields with their values as text, with every default filled in.
    pub fn fields(&self) -> Vec<(String, String)> {
        let canonical = self.canonical();
        let field = |line: &str| {
            let (name, value) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
            Some((name.to_string(), value.to_string()))
        };
        canonical.lines().filter_map(field).collect()
    }

    /// The scenario without its name, its recorded tables and where histories keep documents, which do not change what happens.
    pub fn experiment(&self) -> Scenario {
        Scenario { name: String::new(), record: Record::default(), history_rows: HistoryRows::default(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::good;

    #[test]
    fn every_field_has_its_value() {
        let fields = good().fields();
        let value = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        assert_eq!(value("nodes"), Some("100"));
        assert_eq!(value("arrivals"), Some("Poisson(every: \"10min\", rates: Equal)"));
        assert_eq!(value("name"), Some("\"good\""));
        assert_eq!(fields.len(), good().canonical().lines().count() - 2, "a line per field between two brackets");
    }
}
