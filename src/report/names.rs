//! Short names of rows and columns, with the parameters that tell them apart.

/// Defences in the paper's order; others follow in the order of their results.
pub const DEFENSES: [&str; 9] = ["Oracle", "Local", "RankGuard", "FLTrust", "ZenoPS", "GTS", "CS", "CWTM", "None"];
pub const USERS: [&str; 3] = ["perfect", "navigational", "informational"];
pub const ATTACKS: [&str; 4] = ["FLIP", "LIE", "IPM", "ADAPT"];

/// A short name, and the whole value as a scenario writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub spelled: String,
}

impl Named {
    /// The name, with the parameters that differ among all values of this name: `RankGuard(kappa: 0.0)`.
    pub fn label(&self, all: &[Named]) -> String {
        let namesakes: Vec<Vec<&str>> =
            all.iter().filter(|other| other.name == self.name).map(|other| parameters(&other.spelled)).collect();
        let own = parameters(&self.spelled);
        let telling: Vec<&str> = own.into_iter().filter(|part| !namesakes.iter().all(|parts| parts.contains(part))).collect();
        if telling.is_empty() { self.name.clone() } else { format!("{}({})", self.name, telling.join(", ")) }
    }
}

/// The value of a parameter inside a value, or of one further inside: `online.shape` of a churn.
pub fn inner(spelled: &str, path: &str) -> Option<String> {
    let (name, further) = path.split_once('.').map_or((path, None), |(name, further)| (name, Some(further)));
    let value = parameters(spelled).into_iter().find_map(|part| part.strip_prefix(name)?.trim_start().strip_prefix(':').map(str::trim))?;
    further.map_or_else(|| Some(value.to_string()), |further| inner(value, further))
}

/// A value without a parameter inside it: what else tells it from others.
pub fn without(spelled: &str, path: &str) -> String {
    let Some((name, _)) = spelled.split_once('(') else { return spelled.into() };
    let (top, further) = path.split_once('.').map_or((path, None), |(top, further)| (top, Some(further)));
    let rest = parameters(spelled).into_iter().filter_map(|part| match part.split_once(':') {
        Some((name, value)) if name.trim() == top => further.map(|further| format!("{top}: {}", without(value.trim(), further))),
        _ => Some(part.to_string()),
    });
    let rest: Vec<String> = rest.collect();
    if rest.is_empty() && !name.is_empty() { name.into() } else { format!("{name}({})", rest.join(", ")) }
}

/// The parameters of a value: `RankGuard(kappa: 4.0, list: [1, 2])` has two.
fn parameters(spelled: &str) -> Vec<&str> {
    let Some((_, inside)) = spelled.split_once('(') else { return Vec::new() };
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let (mut depth, mut is_text, mut escaped, mut from, mut parts) = (0, false, false, 0, Vec::new());
    for (at, sign) in inside.char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' if is_text => escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// All labels once: those of known names first, in the known order.
pub fn ordered(known: &[&str], there: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut labels: Vec<(usize, String)> = Vec::new();
    for (name, label) in there {
        if !labels.iter().any(|(_, other)| *other == label) {
            labels.push((known.iter().position(|known| *known == name).unwrap_or(known.len()), label));
        }
    }
    labels.sort_by_key(|(rank, _)| *rank); // stable
    labels.into_iter().map(|(_, label)| label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(all: &[(&str, &str)], expect: &[&str]) {
        let all: Vec<Named> = all.iter().map(|(name, spelled)| Named { name: name.to_string(), spelled: spelled.to_string() }).collect();
        assert_eq!(all.iter().map(|named| named.label(&all)).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn labels_say_no_more_than_it_takes() {
        check(&[("CS", "Cs(assumed: ShareOfNodes, center: Own)"), ("None", "Undefended")], &["CS", "None"]);
        check(&[("G", "G(kappa: 0.0, undecided: 0.5)"), ("G", "G(kappa: 4.0, undecided: 0.5)")], &["G(kappa: 0.0)", "G(kappa: 4.0)"]);
        check(&[("A", "A(b: [1, 2], c: (d: 1))"), ("A", "A(b: [1, 3], c: (d: 1))")], &["A(b: [1, 2])", "A(b: [1, 3])"]);
        check(&[("A", "A"), ("A", "A(b: 1)")], &["A", "A(b: 1)"]);
        check(&[("L", "L(path: \"a,\\\"b\", x: 1)"), ("L", "L(path: \"c\", x: 1)")], &["L(path: \"a,\\\"b\")", "L(path: \"c\")"]);
        check(&[("Mix", "Mix([(share: 0.5)])"), ("Mix", "Mix([(share: 0.6)])")], &["Mix([(share: 0.5)])", "Mix([(share: 0.6)])"]);
    }

    #[test]
    fn a_parameter_is_found_inside_and_further_inside() {
        let churn = "Alternating(online: Weibull(shape: 0.6, scale: \"2h\"), offline: Exponential(mean: \"3h\"))";
        for (path, expect) in [
            ("online.shape", Some("0.6")),
            ("offline.mean", Some("\"3h\"")),
            ("offline", Some("Exponential(mean: \"3h\")")),
            ("offline.shape", None),
            ("on", None),
        ] {
            assert_eq!(inner(churn, path).as_deref(), expect, "{path}");
        }
        assert_eq!(inner("AlwaysOnline", "online"), None);
    }

    #[test]
    fn a_parameter_is_left_out_of_what_tells_values_apart() {
        for (spelled, path, expect) in [
            ("RankGuard(kappa: 4.0, calibrate: true)", "kappa", "RankGuard(calibrate: true)"),
            ("RankGuard(kappa: 4.0)", "kappa", "RankGuard"),
            ("A(on: W(shape: 0.6, scale: 1), off: 2)", "on.shape", "A(on: W(scale: 1), off: 2)"),
            ("(among: All)", "among", "()"),
            ("Undefended", "kappa", "Undefended"),
        ] {
            assert_eq!(without(spelled, path), expect);
        }
    }

    #[test]
    fn names_come_in_the_papers_order() {
        let there = ["Krum", "None", "Oracle", "Krum"].map(|name| (name.to_string(), name.to_string()));
        assert_eq!(ordered(&DEFENSES, there.into_iter()), ["Oracle", "None", "Krum"]);
    }
}
