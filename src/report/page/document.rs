//! The document around the sections: one file with its style and its script inside, which asks no other file for anything.

use super::super::draw::{self, SCRIPT, STYLE};
use super::super::figure::Figure;
use super::html::{escape, with_code};
use super::section::Section;

/// Says who wrote the file; a file with this mark may be written again.
pub const MARK: &str = "<meta name=\"generator\" content=\"rankguard";

/// A page, and the figures on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The whole document.
    pub html: String,
    /// Its figures, in order.
    pub figures: Vec<Figure>,
}

/// What stands before the sections.
pub struct Opening {
    /// The names of what is shown.
    pub title: String,
    pub headline: String,
    /// Further findings, a sentence each.
    pub findings: Vec<String>,
    /// What the figures rest on. Words between backquotes are set as code.
    pub honesty: String,
    /// HTML below it.
    pub strip: String,
}

impl Page {
    pub(crate) fn new(opening: &Opening, sections: &[Section]) -> Self {
        let figures = sections.iter().flat_map(Section::figures).cloned().collect();
        let body: String = sections.iter().map(|section| section.html(draw::html)).collect();
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n{MARK} {}\">\n<title>{}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{}{}{body}</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            escape(&opening.title),
            opening.html(),
            contents(sections),
        );
        Self { html, figures }
    }
}

impl Opening {
    fn html(&self) -> String {
        let [title, headline] = [&self.title, &self.headline].map(|text| escape(text));
        let findings: String = self.findings.iter().map(|finding| format!("<li>{}</li>\n", escape(finding))).collect();
        let findings = if findings.is_empty() { findings } else { format!("<ul>\n{findings}</ul>\n") };
        let honesty = with_code(&self.honesty);
        format!(
            "<header>\n<p class=\"kicker\">{title}</p>\n<h1>{headline}</h1>\n{findings}<p class=\"honesty\">{honesty}</p>\n</header>\n{}",
            self.strip
        )
    }
}

/// Links to the sections.
fn contents(sections: &[Section]) -> String {
    let there = sections.iter().filter(|section| !section.blocks.is_empty());
    let links: Vec<String> = there.map(|section| format!("<li><a href=\"#{}\">{}</a></li>", section.id, escape(&section.title))).collect();
    format!("<nav>\n<ul>\n{}\n</ul>\n</nav>\n", links.join("\n"))
}
