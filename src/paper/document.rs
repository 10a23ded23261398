//! A document of chapters, which becomes a page for a browser and a Markdown file from the same parts. Figures are drawn on the page, and only named in Markdown.

use crate::report::draw::escape;
use crate::report::{Block, Figure, Opening, Page, Section};

/// What `rankguard paper report` writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The name of the document.
    pub title: String,
    /// What it says, in a sentence.
    pub headline: String,
    /// Further findings, a sentence each.
    pub findings: Vec<String>,
    /// What the figures rest on.
    pub honesty: String,
    /// The chapters.
    pub chapters: Vec<Chapter>,
}

/// A part with a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Chapter {
    /// Names its anchor.
    pub id: String,
    /// The heading.
    pub title: String,
    /// What stands below it.
    pub parts: Vec<Part>,
}

/// A piece of a chapter. In all texts words between backquotes are code, and words between double asterisks are strong.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// A smaller heading.
    Heading(String),
    /// Lines of a list.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A figure, which Markdown only names.
    Figure(Box<Figure>),
    /// Parts that are opened by a click, on the page alone.
    Folded(String, Vec<Part>),
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The lines.
    pub rows: Vec<Vec<String>>,
    /// The columns from the left that hold words instead of numbers.
    pub n_words: usize,
}

impl Chapter {
    /// A chapter.
    pub fn new(id: impl Into<String>, title: impl Into<String>, parts: Vec<Part>) -> Self {
        Self { id: id.into(), title: title.into(), parts }
    }
}

impl Part {
    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn html(&self) -> Vec<Block> {
        let html = |text: String| vec![Block::Html(text)];
        match self {
            Self::Text(text) => html(format!("<p>{}</p>\n", inline(text))),
            Self::Heading(text) => html(format!("<h3>{}</h3>\n", inline(text))),
            Self::List(lines) => {
                html(format!("<ul>\n{}</ul>\n", lines.iter().map(|line| format!("<li>{}</li>\n", inline(line))).collect::<String>()))
            }
            Self::Table(table) => html(table.html()),
            Self::Figure(figure) => vec![Block::Figure(figure.clone())],
            Self::Folded(title, parts) => {
                let open = Block::Html(format!("<details><summary>{}</summary>\n", inline(title)));
                let inside = parts.iter().flat_map(Self::html);
                [open].into_iter().chain(inside).chain([Block::Html("</details>\n".into())]).collect()
            }
        }
    }

    fn markdown(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Heading(text) => Some(format!("### {text}")),
            Self::List(lines) => Some(lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")),
            Self::Table(table) => Some(table.markdown()),
            Self::Figure(figure) => Some(format!("Figure, on the page alone: {}.", figure.title)),
            Self::Folded(_, _) => None,
        }
    }
}

/// Words longer than this are broken into lines.
const LONG: usize = 24;

impl Table {
    fn html(&self) -> String {
        let cell = |tag: &str, nth: usize, text: &str| {
            let is_long = self.rows.iter().filter_map(|cells| cells.get(nth)).any(|cell| cell.chars().count() > LONG);
            let class = match nth < self.n_words {
                true if is_long => " class=\"text wide\"",
                true => " class=\"text\"",
                false => "",
            };
            format!("<{tag}{class}>{}</{tag}>", inline(text))
        };
        let row = |tag: &str, cells: &[String]| {
            format!("<tr>{}</tr>\n", cells.iter().enumerate().map(|(nth, text)| cell(tag, nth, text)).collect::<String>())
        };
        let body: String = self.rows.iter().map(|cells| row("td", cells)).collect();
        format!("<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n", row("th", &self.head))
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
        let rule = format!("|{}", "---|".repeat(self.head.len()));
        [line(&self.head), rule].into_iter().chain(self.rows.iter().map(|cells| line(cells))).collect::<Vec<_>>().join("\n")
    }
}

/// Text as HTML.
fn inline(text: &str) -> String {
    let strong = |text: &str| {
        let parts = text.split("**").enumerate();
        parts.map(|(nth, part)| if nth % 2 == 1 { format!("<strong>{}</strong>", escape(part)) } else { escape(part) }).collect::<String>()
    };
    let parts = text.split('`').enumerate();
    parts.map(|(nth, part)| if nth % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { strong(part) }).collect()
}

impl Document {
    /// The document as one file for a browser.
    pub fn page(&self) -> Page {
        let opening = Opening {
            title: self.title.clone(),
            headline: self.headline.clone(),
            findings: self.findings.clone(),
            honesty: self.honesty.clone(),
            strip: String::new(),
        };
        let section = |chapter: &Chapter| {
            Section::new(chapter.id.clone(), chapter.title.clone(), chapter.parts.iter().flat_map(Part::html).collect())
        };
        Page::new(&opening, &self.chapters.iter().map(section).collect::<Vec<_>>())
    }

    /// The document as Markdown.
    pub fn markdown(&self) -> String {
        let mut blocks = vec![format!("# {}", self.title), self.headline.clone()];
        if !self.findings.is_empty() {
            blocks.push(self.findings.iter().map(|finding| format!("- {finding}")).collect::<Vec<_>>().join("\n"));
        }
        blocks.push(self.honesty.clone());
        for chapter in &self.chapters {
            let parts: Vec<String> = chapter.parts.iter().filter_map(Part::markdown).collect();
            if !parts.is_empty() {
                blocks.push(format!("## {}", chapter.title));
                blocks.extend(parts);
            }
        }
        blocks.join("\n\n") + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_come_from_the_same_parts() {
        let table = Table { head: vec!["rule".into(), "a|b".into()], rows: vec![vec!["**x** < `y`".into(), "1".into()]], n_words: 1 };
        let chapter = Chapter::new("one", "One", vec![Part::text("Some `code`."), Part::Table(table), Part::List(vec!["first".into()])]);
        let folded = Chapter::new("two", "Two", vec![Part::Folded("more".into(), vec![Part::text("inside")])]);
        let document = Document {
            title: "T".into(),
            headline: "H".into(),
            findings: vec!["F".into()],
            honesty: "N".into(),
            chapters: vec![chapter, folded],
        };
        let markdown = "# T\n\nH\n\n- F\n\nN\n\n## One\n\nSome `code`.\n\n| rule | a\\|b |\n|---|---|\n| **x** < `y` | 1 |\n\n- first\n";
        assert_eq!(document.markdown(), markdown);
        let html = document.page().html;
        for part in [
            "<p>Some <code>code</code>.</p>",
            "<strong>x</strong> &lt; <code>y</code></td><td>1</td>",
            "<summary>more</summary>\n<p>inside</p>",
        ] {
            assert!(html.contains(part), "{html}");
        }
    }
}
