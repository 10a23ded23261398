//! A scenario field by field, and the experiment that it stands for.

use super::Scenario;
use crate::network::{Arrivals, Churn, Latency};
use crate::record::Record;

impl Scenario {
    /// Fields by name with their values as they are written, every default filled in.
    pub fn fields(&self) -> Vec<(String, String)> {
        let canonical = self.canonical();
        let field = |line: &str| {
            let (name, value) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
            Some((name.to_string(), value.to_string()))
        };
        canonical.lines().filter_map(field).collect()
    }

    /// The same experiment whatever it is called and whatever is recorded of it.
    pub fn experiment(&self) -> Scenario {
        Scenario { name: String::new(), record: Record::default(), ..self.clone() }
    }

    /// The files that the network is read from, as the scenario writes them.
    pub(crate) fn network_files(&self) -> Vec<&str> {
        let arrivals = match &self.arrivals {
            Arrivals::Trace { path, .. } => Some(path.as_str()),
            Arrivals::RoundRobin { .. } | Arrivals::Poisson { .. } => None,
        };
        let latency = match &self.latency {
            Latency::Matrix { path, .. } | Latency::Vivaldi { path, .. } => Some(path.as_str()),
            Latency::Zero
            | Latency::Constant(_)
            | Latency::Uniform { .. }
            | Latency::LogNormal { .. }
            | Latency::Gamma { .. }
            | Latency::Regions { .. } => None,
        };
        let churn = if let Churn::Trace { path, .. } = &self.churn { Some(path.as_str()) } else { None };
        [arrivals, latency, churn].into_iter().flatten().collect()
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
