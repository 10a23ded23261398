//! A scenario as text again, with every default filled in: what `check` prints and the manifest keeps.

use super::Scenario;
use super::parse::ron_options;
use ron::ser::PrettyConfig;

impl Scenario {
    /// One line per field; parses back to the same scenario.
    pub fn canonical(&self) -> String {
        let layout = PrettyConfig::new().depth_limit(1).new_line("\n");
        let text = ron_options().to_string_pretty(self, layout).expect("a scenario is plain data");
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::good;

    #[test]
    fn defaults_are_filled_in() {
        println!("{}", good().canonical());
    }
}
