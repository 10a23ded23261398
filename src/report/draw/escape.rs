//! Text of users within HTML and SVG: whatever a series is called, it is shown and never obeyed.

/// A text for an element or a quoted attribute. Characters that XML forbids are replaced, so that an SVG stays readable.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' | '\r' => escaped.push(' '),
            c if c.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name as an identifier of the page: letters, digits and hyphens.
pub fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    // An identifier that begins with a digit cannot be named in a style.
    if plain.starts_with(|c: char| c.is_ascii_lowercase()) { plain } else { format!("figure-{plain}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_user_writes_is_markup() {
        for (text, expect) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onload='x'", "&quot; onload=&#39;x&#39;"),
            ("a & b", "a &amp; b"),
            ("two\nlines\0", "two lines\u{fffd}"),
            ("α ≥ 0.5 – 日本", "α ≥ 0.5 – 日本"),
        ] {
            assert_eq!(escape(text), expect);
        }
    }

    #[test]
    fn identifiers_have_only_letters_digits_and_hyphens() {
        for (name, expect) in
            [("accuracy-over-time", "accuracy-over-time"), ("\"><b>", "figure----b-"), ("", "figure-"), ("2 d", "figure-2-d")]
        {
            assert_eq!(identifier(name), expect);
        }
    }
}
