//! Text as HTML. Names, labels and scenarios come from users, so everything that is not a fixed word of this program goes through `escape`.

pub use super::super::draw::escape;

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
    fn code_stands_between_backquotes() {
        assert_eq!(with_code("keep `a < b` and c"), "keep <code>a &lt; b</code> and c");
    }
}
