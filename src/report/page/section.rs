//! A page is a list of sections, and a section a list of blocks.

use super::super::figure::Figure;
use super::html::{escape, remark};

/// A part of a page with a heading.
pub struct Section {
    /// Names its anchor.
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A piece of a section.
pub enum Block {
    /// HTML that is ready.
    Html(String),
    Figure(Box<Figure>),
    /// Plain text that says what is missing or what to beware of.
    Remark(String),
}

impl Section {
    pub fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id: id.into(), title: title.into(), blocks }
    }

    /// The section as HTML, with `draw` for its figures; nothing if it has no blocks.
    pub fn html(&self, draw: impl Fn(&Figure) -> String) -> String {
        if self.blocks.is_empty() {
            return String::new();
        }
        let blocks: String = self.blocks.iter().map(|block| block.html(&draw)).collect();
        format!("<section id=\"{}\">\n<h2>{}</h2>\n{blocks}</section>\n", self.id, escape(&self.title))
    }

    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(figure) => Some(&**figure),
            Block::Html(_) | Block::Remark(_) => None,
        })
    }
}

impl Block {
    fn html(&self, draw: impl Fn(&Figure) -> String) -> String {
        match self {
            Block::Html(html) => html.clone(),
            Block::Figure(figure) => draw(figure),
            Block::Remark(text) => remark(text),
        }
    }
}

impl From<Figure> for Block {
    fn from(figure: Figure) -> Self {
        Block::Figure(Box::new(figure))
    }
}
