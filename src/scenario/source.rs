//! Describes a place in a RON text: its field, its value, the open bracket. It knows RON's brackets, strings and comments, but no types.

/// The surroundings of a place in a RON text.
#[derive(Debug, PartialEq)]
pub struct Place<'a> {
    /// The names of the fields around the place, as in `churn.online.shape`.
    pub path: String,
    /// The value of the innermost field, from its first character to the comma or bracket that ends it.
    pub value: &'a str,
    /// Where that value begins, as a byte offset.
    pub value_from: usize,
    /// The innermost bracket that is still open, as a byte offset.
    pub open: Option<usize>,
    /// A string before the place that goes over a line end: its closing quote is probably missing.
    pub torn_string: Option<usize>,
}

/// One open bracket, and the field whose value is being read inside it.
struct Level<'a> {
    open: Option<usize>,
    field: Option<&'a str>,
}

/// Reads `text` up to and including the token at byte `at`.
pub fn place(text: &str, at: usize) -> Place<'_> {
    let mut levels = vec![Level { open: None, field: None }];
    let (mut value_from, mut torn_string, mut last_name) = (0, None, None);
    for (from, token) in tokens(text).take_while(|(from, _)| *from <= at) {
        match token.as_bytes()[0] {
            b'(' | b'[' | b'{' => levels.push(Level { open: Some(from), field: None }),
            b')' | b']' | b'}' if from < at && levels.len() > 1 => drop(levels.pop()),
            b')' | b']' | b'}' | b',' if from < at => top(&mut levels).field = None,
            b':' => {
                top(&mut levels).field = last_name;
                value_from = skip_blank(text, from + 1);
            }
            b'"' if token.contains('\n') => torn_string = torn_string.or(Some(from)),
            _ => {}
        }
        last_name = Some(token);
    }
    let names: Vec<&str> = levels.iter().filter_map(|level| level.field).collect();
    Place { path: names.join("."), value: value(&text[value_from..]), value_from, open: top(&mut levels).open, torn_string }
}

/// The first byte at or after `from` that is neither white space nor comment.
pub fn skip_blank(text: &str, from: usize) -> usize {
    tokens(&text[from..]).next().map_or(text.len(), |(offset, _)| from + offset)
}

/// The byte offset of a 1-based line and column (in characters).
pub fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    text[start..].char_indices().nth(column - 1).map_or(text.len(), |(i, _)| start + i)
}

/// The 1-based line and column of a byte offset.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    (before.matches('\n').count() + 1, before.chars().rev().take_while(|&c| c != '\n').count() + 1)
}

fn top<'l, 'a>(levels: &'l mut [Level<'a>]) -> &'l mut Level<'a> {
    levels.last_mut().expect("the outermost level is never closed")
}

/// The value at the start of `text`. It ends before a comma or bracket that does not belong to it, or with its line.
fn value(text: &str) -> &str {
    let (mut depth, mut end) = (0, 0);
    for (from, token) in tokens(text) {
        match token.as_bytes()[0] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' | b',' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        end = from + token.len();
    }
    text[..end].lines().next().unwrap_or("").trim_end()
}

/// The last token that begins before `at`, with its offset.
pub fn last_word_before(text: &str, at: usize) -> Option<(usize, &str)> {
    tokens(text).take_while(|(from, _)| *from < at).last()
}

/// Words, strings and single signs with their offsets; blanks and comments are left out.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let first = rest.chars().next()?;
            let len = token_len(rest);
            at += len;
            if !(first.is_whitespace() || rest.starts_with("//") || rest.starts_with("/*")) {
                return Some((at - len, &rest[..len]));
            }
        }
    })
}

fn token_len(rest: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
    let first = rest.chars().next().map_or(0, char::len_utf8);
    match rest.as_bytes()[0] {
        b'"' => string_len(rest),
        b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
        _ => rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first),
    }
}

fn string_len(rest: &str) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return i + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `¦` marks the place.
    #[track_caller]
    fn check(marked: &str, path: &str, value: &str) {
        let at = marked.find('¦').expect("a mark");
        let text = marked.replace('¦', "");
        let found = place(&text, at);
        assert_eq!((found.path.as_str(), found.value), (path, value));
    }

    #[test]
    fn the_field_around_a_place_is_found() {
        check("(a: 1, b: ¦-5)", "b", "-5");
        check("(a: X(b: Y(c: ¦\"10\", d: 2)))", "a.b.c", "\"10\"");
        check("(a: X(b: 1, c: 2), d: ¦W(1, 2) /* x */, e: 3)", "d", "W(1, 2)");
        check("(a: [1, ¦2], b: 3)", "a", "[1, 2]");
        check("(a: X(b: 1¦), c: 2)", "a.b", "1");
    }

    #[test]
    fn comments_and_strings_hide_signs() {
        check("(a: \"b: (\", // c: (\n /* d: { */ e: ¦4)", "e", "4");
        check(r#"(a: "\"(", b: ¦4)"#, "b", "4");
    }

    #[test]
    fn open_brackets_and_torn_strings_are_remembered() {
        let text = "(\n a: X(b: 1,\n";
        assert_eq!(place(text, text.len()).open, Some(7));
        let text = "(\n a: \"x,\n b: \"1d\")";
        assert_eq!(place(text, text.len()).torn_string, Some(6));
    }

    #[test]
    fn offsets_and_columns_are_inverse_even_beyond_ascii() {
        let text = "(\n β: 1,\r\n\tb: κ)";
        for (offset_of, _) in text.char_indices() {
            let (line, column) = line_column(text, offset_of);
            assert_eq!(offset(text, line, column), offset_of);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_places(text in "[ab1\":,()\\[\\]{}\\\\/*\nκ ]{0,40}", at in 0usize..40) {
            place(&text, at);
        }
    }
}
