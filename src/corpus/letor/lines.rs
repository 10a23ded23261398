//! The first pass finds the documents, and the grade and the query of each. It does not read features yet.
//!
//! The text is cut into chunks at line ends, and the chunks are outlined in parallel. They are joined in file order, so the result depends
//! neither on the cuts nor on the number of threads.

use super::tokens::{is_blank, last_feature, number, quoted};
use memchr::{memchr, memchr2};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The place of one document in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The number of its line, counted from 1, for messages.
    pub number: usize,
    /// The range of its features, after the query and before the comment.
    pub body: Range<usize>,
    /// The index of its query.
    pub query: u32,
    /// Its relevance grade.
    pub grade: u8,
}

/// The first mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The number of its line, counted from 1.
    pub line: usize,
    /// The message: the mistake and its remedy.
    pub what: String,
}

/// All documents of a text. Queries are in the order of their first appearance, and the documents of a query are in file order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The documents.
    pub lines: Vec<Line>,
    /// Query q's documents are `lines[starts[q]..starts[q + 1]]`.
    pub starts: Vec<u32>,
    /// The highest feature among the last ones of all lines. It is the dimension, unless the features of some line are out of order.
    pub last_feature: u32,
    /// The first flaw, if any. Documents after it are not in the outline.
    pub flaw: Option<Flaw>,
}

/// The documents of a chunk. Lines and queries are counted from the beginning of the chunk.
struct Chunk<'a> {
    lines: Vec<Line>,
    queries: Vec<&'a [u8]>,
    n_lines: usize,
    last_feature: u32,
    flaw: Option<Flaw>,
}

/// Outlines `text` in chunks of about `chunk_bytes`. Labels must be below `n_grades`.
pub fn outline(text: &[u8], n_grades: u32, chunk_bytes: usize) -> Outline {
    let chunks: Vec<Chunk> = cut(text, chunk_bytes).into_par_iter().map(|range| outline_chunk(text, range, n_grades)).collect();
    join(chunks)
}

/// Ranges of about `chunk_bytes` that end after a newline or with the text.
fn cut(text: &[u8], chunk_bytes: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let about = (start + chunk_bytes.max(1) - 1).min(text.len());
        let end = memchr(b'\n', &text[about..]).map_or(text.len(), |newline| about + newline + 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

fn outline_chunk(text: &[u8], range: Range<usize>, n_grades: u32) -> Chunk<'_> {
    let mut chunk = Chunk { lines: Vec::new(), queries: Vec::new(), n_lines: 0, last_feature: 0, flaw: None };
    let mut known: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut at = range.start;
    while at < range.end {
        chunk.n_lines += 1;
        match head(text, at, n_grades) {
            Ok(None) => at = line_end(text, at) + 1,
            Ok(Some(Head { grade, qid, body_start })) => {
                let (body_end, next) = body_end(text, body_start);
                // Most documents of a query follow each other, so the map is needed only where the query changes.
                let query = match (chunk.lines.last(), chunk.queries.get(chunk.lines.last().map_or(0, |l| l.query as usize))) {
                    (Some(last), Some(same)) if *same == qid => last.query,
                    _ => *known.entry(qid).or_insert_with(|| {
                        chunk.queries.push(qid);
                        chunk.queries.len() as u32 - 1
                    }),
                };
                chunk.last_feature = chunk.last_feature.max(last_feature(&text[body_start..body_end]));
                chunk.lines.push(Line { number: chunk.n_lines, body: body_start..body_end, query, grade });
                at = next;
            }
            Err(what) => {
                chunk.flaw = Some(Flaw { line: chunk.n_lines, what });
                break;
            }
        }
    }
    chunk
}

/// The part of a line before its features.
pub struct Head<'a> {
    /// The relevance grade.
    pub grade: u8,
    /// The name of the query.
    pub qid: &'a [u8],
    /// Where the features begin.
    pub body_start: usize,
}

/// Label and query of the line at `at`; `None` if the line is blank or a comment.
pub fn head(text: &[u8], at: usize, n_grades: u32) -> Result<Option<Head<'_>>, String> {
    let at = skip_blanks(text, at);
    if matches!(text.get(at), None | Some(b'\n' | b'\r' | b'#')) {
        return Ok(None);
    }
    let label = word(text, at);
    let grade = grade(label, n_grades)?;
    let at = skip_blanks(text, at + label.len());
    let token = word(text, at);
    match token.strip_prefix(b"qid:") {
        Some(qid) if !qid.is_empty() => Ok(Some(Head { grade, qid, body_start: at + token.len() })),
        _ => Err(format!("`{}` stands where qid:<query> belongs, after the label", quoted(token))),
    }
}

fn grade(label: &[u8], n_grades: u32) -> Result<u8, String> {
    let value = match label {
        [digit @ b'0'..=b'9'] => f64::from(digit - b'0'),
        _ => number(label).unwrap_or(f64::NAN),
    };
    let shown = || quoted(label);
    if !(value >= 0.0 && value.fract() == 0.0) {
        return Err(format!("label `{}` is not a whole number from 0 up", shown()));
    }
    if value >= f64::from(n_grades) {
        let remedy =
            if value < 255.0 { format!("; pass grades: {} if that is meant", value as u32 + 1) } else { String::from("; correct it") };
        return Err(format!("label {} exceeds the highest grade, {}{remedy}", shown(), n_grades - 1));
    }
    Ok(value as u8)
}

fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&b| is_blank(b)) {
        at += 1;
    }
    at
}

/// The token at `at`. It ends at the end of the line at the latest.
fn word(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len())]
}

/// Where the line that holds `at` ends.
pub fn line_end(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline)
}

/// Where the features of a line end, and where the next line starts.
pub fn body_end(text: &[u8], body_start: usize) -> (usize, usize) {
    let stop = memchr2(b'\n', b'#', &text[body_start..]).map_or(text.len(), |stop| body_start + stop);
    let next = if text.get(stop) == Some(&b'#') { line_end(text, stop) + 1 } else { stop + 1 };
    let end = if stop > body_start && text[stop - 1] == b'\r' { stop - 1 } else { stop };
    (end, next)
}

/// Joins all chunks up to the first flaw: numbers lines and queries through, and groups the documents by query.
fn join(chunks: Vec<Chunk>) -> Outline {
    let mut known: FxHashMap<&[u8], u32> = FxHashMap::default();
    let mut lines = Vec::with_capacity(chunks.iter().map(|chunk| chunk.lines.len()).sum());
    let mut counts: Vec<u32> = Vec::new();
    let mut outline = Outline::default();
    let mut lines_before = 0;
    for chunk in chunks {
        let queries: Vec<u32> = chunk
            .queries
            .into_iter()
            .map(|qid| {
                let next = known.len() as u32;
                *known.entry(qid).or_insert(next)
            })
            .collect();
        counts.resize(known.len(), 0);
        for mut line in chunk.lines {
            line.query = queries[line.query as usize];
            line.number += lines_before;
            counts[line.query as usize] += 1;
            lines.push(line);
        }
        outline.last_feature = outline.last_feature.max(chunk.last_feature);
        if let Some(flaw) = chunk.flaw {
            outline.flaw = Some(Flaw { line: flaw.line + lines_before, ..flaw });
            break;
        }
        lines_before += chunk.n_lines;
    }
    outline.starts = std::iter::once(0)
        .chain(counts.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        }))
        .collect();
    // The sort is stable, so the documents of a query stay in file order. In most files each query is in one piece, and nothing moves.
    lines.sort_by_key(|line: &Line| line.query);
    outline.lines = lines;
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Documents as `line:query/grade`, in the outline's order.
    fn show(text: &str, chunk_bytes: usize) -> String {
        let outline = outline(text.as_bytes(), 5, chunk_bytes);
        let lines = outline.lines.iter().map(|l| format!("{}:{}/{}", l.number, l.query, l.grade));
        lines.chain(outline.flaw.map(|flaw| format!("{}! {}", flaw.line, flaw.what))).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        for chunk_bytes in 1..text.len() + 2 {
            assert_eq!(show(text, chunk_bytes), expect, "in chunks of {chunk_bytes}");
        }
    }

    #[test]
    fn documents_gather_under_their_query() {
        check("0 qid:a 1:1\n1 qid:b 1:1\n2 qid:a 1:1\n", "1:0/0 3:0/2 2:1/1");
        check("0 qid:1\n0 qid:01\n", "1:0/0 2:1/0");
    }

    #[test]
    fn blank_lines_comments_and_line_ends_do_not_matter() {
        check("\n# head\n  \n1 qid:a 1:1 # tail\r\n\r\n2 qid:a", "4:0/1 6:0/2");
        check("1\tqid:a#b\t1:1\n", "1:0/1");
    }

    #[test]
    fn labels_may_be_written_as_floats() {
        check("2.0 qid:a\n1e0 qid:a\n", "1:0/2 2:0/1");
    }

    #[test]
    fn the_first_flaw_ends_the_outline() {
        check("1 qid:a\nx qid:a\ny qid:a\n", "1:0/1 2! label `x` is not a whole number from 0 up");
        check("-1 qid:a\n", "1! label `-1` is not a whole number from 0 up");
        check("1.5 qid:a\n", "1! label `1.5` is not a whole number from 0 up");
        check("nan qid:a\n", "1! label `nan` is not a whole number from 0 up");
        check("qid:a 1:1\n", "1! label `qid:a` is not a whole number from 0 up");
        check("7 qid:a\n", "1! label 7 exceeds the highest grade, 4; pass grades: 8 if that is meant");
        check("1e9 qid:a\n", "1! label 1e9 exceeds the highest grade, 4; correct it");
        check("1 1:1\n", "1! `1:1` stands where qid:<query> belongs, after the label");
        check("1 qid: 1:1\n", "1! `qid:` stands where qid:<query> belongs, after the label");
        check("1\n1 qid:a", "1! `` stands where qid:<query> belongs, after the label");
    }

    #[test]
    fn bodies_hold_features_only() {
        let text = b"1 qid:a 1:2 3:4\r\n0 qid:a 5:6#c\n";
        let bodies: Vec<&[u8]> = outline(text, 5, 100).lines.into_iter().map(|line| &text[line.body]).collect();
        assert_eq!(bodies, [&b" 1:2 3:4"[..], &b" 5:6"[..]]);
    }
}
