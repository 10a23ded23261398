//! Finds the value of a path such as `churn.online.shape` or `attack[1].share` in a RON text. It knows brackets and names, but no types.

use super::source::tokens;
use std::ops::Range;

/// One step inwards.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// One item inside of brackets: `name: value`, or a value alone.
#[derive(Debug, PartialEq)]
pub struct Item<'a> {
    pub name: Option<&'a str>,
    pub value: Range<usize>,
}

/// The items inside of the brackets of a value.
#[derive(Debug, PartialEq)]
pub struct Group<'a> {
    pub is_list: bool,
    /// The range between the brackets.
    pub inside: Range<usize>,
    pub items: Vec<Item<'a>>,
}

/// How far a path leads into a text.
#[derive(Debug, PartialEq)]
pub struct Found {
    /// The value of the innermost field of the path that is written.
    pub value: Range<usize>,
    /// The number of steps of the path that lead there.
    pub n_steps: usize,
}

/// The value of the field `path`, or of the innermost field around it that is written; `None` if not even the outermost is.
pub fn locate(text: &str, path: &str) -> Option<Range<usize>> {
    let found = follow(text, path);
    (found.n_steps > 0).then_some(found.value)
}

/// Follows `path` into `text` as far as it is written.
pub fn follow(text: &str, path: &str) -> Found {
    let mut found = Found { value: 0..text.len(), n_steps: 0 };
    for step in steps(path) {
        let Some(value) = inwards(text, found.value.clone(), step) else { break };
        found = Found { value, n_steps: found.n_steps + 1 };
    }
    found
}

/// The last brackets that a value opens itself: those of `Weibull(shape: 0.6)`, of `(rate: 3)` or of `[1, 2]`.
pub fn group(text: &str, value: Range<usize>) -> Option<Group<'_>> {
    let (mut depth, mut open, mut last) = (0usize, None, None);
    for (from, token) in tokens(&text[value.clone()]) {
        match token.as_bytes()[0] {
            b'(' | b'[' | b'{' => {
                if depth == 0 {
                    open = Some(value.start + from);
                }
                depth += 1;
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if let Some(open) = open.take_if(|_| depth == 0) {
                    last = Some(open + 1..value.start + from);
                }
            }
            _ => {}
        }
    }
    let inside = last?;
    Some(Group { is_list: text[..inside.start].ends_with('['), items: items(text, inside.clone()), inside })
}

fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    let parts = path.split(['.', '[']).filter(|part| !part.is_empty());
    parts.map(|part| match part.strip_suffix(']').and_then(|index| index.parse().ok()) {
        Some(index) => Step::Index(index),
        None => Step::Name(part),
    })
}

fn inwards(text: &str, value: Range<usize>, step: Step) -> Option<Range<usize>> {
    let Group { is_list, items, .. } = group(text, value)?;
    let found = match step {
        Step::Name(name) => items.iter().find(|item| item.name == Some(name)),
        Step::Index(index) => items.get(index).filter(|_| is_list),
    };
    match (found, &items[..]) {
        (Some(item), _) => Some(item.value.clone()),
        // A choice that holds one value without a name is no step of a path: Partition(Nodes([[0], [1]])).
        (None, [Item { name: None, value }]) if !is_list => inwards(text, value.clone(), step),
        _ => None,
    }
}

fn items(text: &str, inside: Range<usize>) -> Vec<Item<'_>> {
    let (mut items, mut depth) = (Vec::new(), 0usize);
    let mut item: Option<Item> = None;
    for (from, token) in tokens(&text[inside.clone()]) {
        let (from, to) = (inside.start + from, inside.start + from + token.len());
        match token.as_bytes()[0] {
            b',' if depth == 0 => items.extend(item.take()),
            b':' if depth == 0 && item.as_ref().is_some_and(|item| item.name.is_none()) => {
                let name = item.take().map(|item| &text[item.value]);
                item = Some(Item { name, value: to..to });
            }
            sign => {
                match sign {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                let value = match item.as_ref() {
                    Some(item) if !item.value.is_empty() => item.value.start..to,
                    _ => from..to,
                };
                item = Some(Item { name: item.and_then(|item| item.name), value });
            }
        }
    }
    items.extend(item);
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"#![enable(implicit_some)]
// nodes: 7,
Scenario(
    nodes: 100, name: "a: (b, c)",
    churn: Alternating(online: Weibull(shape: 0.6, scale: "2h"), offline: Kad),
    attack: Mix([(share: 0.5, attack: Flip), (share: 0.25, attack: Noise(sd: 1.0))]),
    faults: [(at: "1h", what: Partition(Nodes([[0, 1], [2, 3]])))], /* loss: 1, */
    users: Custom(click: [0, 0.5], stop: [0.1, 1]),
    absence: Some((messages: Lost)),
)"#;

    #[track_caller]
    fn check(path: &str, expect: Option<&str>) {
        assert_eq!(locate(TEXT, path).map(|value| &TEXT[value]), expect);
    }

    #[test]
    fn a_path_leads_to_its_value() {
        check("nodes", Some("100"));
        check("name", Some("\"a: (b, c)\""));
        check("churn.online.shape", Some("0.6"));
        check("churn.offline", Some("Kad"));
        check("attack[1].share", Some("0.25"));
        check("attack[1].attack.sd", Some("1.0"));
        check("faults[0].what[1]", Some("[2, 3]"));
        check("users.click[1]", Some("0.5"));
        check("absence.messages", Some("Lost"));
    }

    #[test]
    fn what_is_not_written_is_looked_for_around() {
        check("loss", None);
        check("b", None);
        check("churn.online.sigma", Some("Weibull(shape: 0.6, scale: \"2h\")"));
        check("attack[7].share", Some("Mix([(share: 0.5, attack: Flip), (share: 0.25, attack: Noise(sd: 1.0))])"));
        check("nodes.x", Some("100"));
        check("users.click[2]", Some("[0, 0.5]"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_searched(text in "[ab1\":,()\\[\\]{}\\\\/*\nκ ]{0,40}", path in "[ab.\\[\\]0]{0,8}") {
            if let Some(value) = locate(&text, &path) {
                assert!(text.get(value).is_some());
            }
        }
    }
}
