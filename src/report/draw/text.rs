//! How much room a text takes, and how it is made to fit. Browsers choose the font, so widths are estimates on the large side.

/// The size of all text in figures.
pub const SIZE: f64 = 12.0;

/// The distance of two lines of text.
pub const LINE: f64 = 14.0;

/// About how wide a text is, in a wide font such as DejaVu Sans.
pub fn width(text: &str) -> f64 {
    text.chars().map(of_char).sum::<f64>() * SIZE
}

fn of_char(c: char) -> f64 {
    match c {
        '\u{202f}' | '\u{2009}' => 0.2,
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | 'I' => 0.35,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | '[' | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '±' | '−' | '≥' | '≤' | '×' => 0.95,
        'A'..='Z' => 0.74,
        c if (c as u32) < 0x1100 => 0.63,
        _ => 1.05,
    }
}

/// The text, or as much of it as fits with an ellipsis.
pub fn fitted(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.into();
    }
    let mut left = room - of_char('…') * SIZE;
    let kept: String = text
        .chars()
        .take_while(|c| {
            left -= of_char(*c) * SIZE;
            left >= 0.0
        })
        .collect();
    format!("{}…", kept.trim_end())
}

/// The text in at most so many lines, broken at spaces; the last one is cut if there is more.
pub fn wrapped(text: &str, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = lines.len() >= most;
        match lines.last_mut() {
            Some(last) if is_full || lines_up(last, word, room) => *last = format!("{last} {word}"),
            _ => lines.push(word.into()),
        }
    }
    lines.iter().map(|line| fitted(line, room)).collect()
}

fn lines_up(line: &str, word: &str, room: f64) -> bool {
    width(line) + width(" ") + width(word) <= room
}

/// The largest width among texts; 0 for none.
pub fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> f64 {
    texts.map(width).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!(fitted("honest senders", 200.0), "honest senders");
        assert_eq!(fitted("honest senders", 60.0), "honest…");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrapped("without churn minus kad churn", 100.0, 3), ["without churn", "minus kad", "churn"]);
        assert_eq!(wrapped("without churn minus kad churn", 100.0, 2), ["without churn", "minus kad ch…"]);
        assert_eq!(wrapped("", 100.0, 2), [""; 0]);
    }

    proptest! {
        #[test]
        fn what_is_fitted_fits(text in "\\PC{0,40}", room in 15.0f64..300.0, most in 1usize..4) {
            prop_assert!(width(&fitted(&text, room)) <= room);
            let lines = wrapped(&text, room, most);
            prop_assert!(lines.len() <= most && lines.iter().all(|line| width(line) <= room));
        }
    }
}
