//! Text as HTML. Names, labels and scenarios come from users, so everything that is not a fixed word of this program goes through [`escape`].

/// A text in which no character means anything to HTML, neither between tags nor in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters are not allowed in HTML; a text of a scenario may hold them.
            sign if sign.is_control() && !matches!(sign, '\n' | '\t') => escaped.push('\u{fffd}'),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// A paragraph of plain text.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A paragraph that says what is missing or what to beware of. Words between backquotes are set as code.
pub fn remark(text: &str) -> String {
    format!("<p class=\"missing\">{}</p>\n", with_code(text))
}

/// Plain text whose words between backquotes are set as code.
pub fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(nth, part)| if nth % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) }).collect()
}

/// A list of terms with what they mean.
pub fn definitions<'a>(entries: impl Iterator<Item = (&'a str, String)>) -> String {
    let lines: String = entries.map(|(term, meaning)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(term), with_code(&meaning))).collect();
    format!("<dl>\n{lines}</dl>\n")
}

/// Something that is opened by a click.
pub fn folded(title: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>\n{inside}</details>\n", escape(title))
}

/// A row of a table's head.
pub fn head(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
    format!("<thead><tr>{cells}</tr></thead>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_user_becomes_a_tag_or_ends_an_attribute() {
        assert_eq!(escape("<script>alert('1' & \"2\")</script>"), "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
        assert_eq!(escape("a\u{0}b\nc"), "a\u{fffd}b\nc");
    }

    #[test]
    fn code_stands_between_backquotes() {
        assert_eq!(with_code("keep `a < b` and c"), "keep <code>a &lt; b</code> and c");
    }
}
