//! Fills in defaults that depend on other fields.

use super::Scenario;
use crate::node::Defense;
use crate::node::defend::pooled::Center;

impl Scenario {
    /// A received model with a weight beyond this is rejected.
    // CHOICE(weight_limit): the paper knows no limit. Its None takes everything, so `Undefended` has none; under any other rule one absurd model should
    // not decide the outcome.
    pub fn weight_limit(&self) -> f64 {
        self.weight_limit.unwrap_or(self.defense.usual_weight_limit())
    }

    /// The same scenario with these defaults written out.
    pub(crate) fn with_defaults(mut self) -> Self {
        self.weight_limit = Some(self.weight_limit());
        if let Defense::Gts { center: Center::Own, divisor, .. } = &mut self.defense {
            divisor.get_or_insert_default();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::scenario::parse::tests::{GOOD, message};

    #[track_caller]
    fn check(defense: &str, set: &[&str], expect: &[&str]) {
        let text = GOOD.replace("RankGuard(kappa: 4.0)", defense);
        let set: Vec<String> = set.iter().map(ToString::to_string).collect();
        let text = Scenario::read_from(text.as_bytes(), "x.ron", &set).unwrap_or_else(|error| panic!("{error}")).canonical();
        for line in expect {
            assert!(text.lines().any(|l| l.trim() == *line), "no {line} in\n{text}");
        }
    }

    #[test]
    fn only_the_undefended_take_weights_of_any_size() {
        check("RankGuard(kappa: 4.0)", &[], &["weight_limit: 1000000.0,"]);
        check("Undefended", &[], &["weight_limit: inf,"]);
        check("Oracle", &[], &["weight_limit: 1000000.0,"]);
        check("Undefended", &["weight_limit=10"], &["weight_limit: 10.0,"]);
        // The default follows the defence that is set, not the one that was written.
        check("RankGuard(kappa: 4.0)", &["defense=Undefended"], &["weight_limit: inf,"]);
        check("Undefended", &["defense=Krum", "defense.assumed=Count(2)"], &["weight_limit: 1000000.0,"]);
    }

    #[test]
    fn a_divisor_belongs_to_the_own_center() {
        check("Gts", &[], &["defense: Gts(assumed: ShareOfNodes, center: Own, divisor: All),"]);
        check("Gts(divisor: Kept)", &[], &["defense: Gts(assumed: ShareOfNodes, center: Own, divisor: Kept),"]);
        check("Gts(center: Median)", &[], &["defense: Gts(assumed: ShareOfNodes, center: Median),"]);
        check("Gts", &["defense.center=Median"], &["defense: Gts(assumed: ShareOfNodes, center: Median),"]);
        check(
            "Gts(divisor: All)",
            &["defense.center=Median", "defense.divisor=None"],
            &["defense: Gts(assumed: ShareOfNodes, center: Median),"],
        );
        for divisor in ["All", "Kept"] {
            let message = message("RankGuard(kappa: 4.0)", &format!("Gts(center: Median, divisor: {divisor})"));
            let expect = format!("x.ron:14:43: defense.divisor is {divisor}, but around center: Median the kept models are averaged");
            assert!(message.starts_with(&expect) && message.ends_with("; leave it out"), "{message}");
        }
    }
}
