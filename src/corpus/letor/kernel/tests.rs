use super::*;
use proptest::prelude::*;

/// The same number as four features and as one, after and before something else, as in a line.
fn read(wide: Wide, number: &[u8]) -> Option<f64> {
    let body = [b" 1:", number, b" 2:", number, b" 3:", number, b" 4:", number].concat();
    let text = [b"0.9 1:9.9 2:-9.9", &body[..], &[b' '; 80]].concat();
    let mut tokens = wide.tokens(&text, 16).expect("inside");
    let four = Names::after(0).and_then(|names| wide.tokens(&text, 16)?.four(names));
    tokens.end_at(|start| start + body.len());
    let one = tokens.next().and_then(|token| tokens.value(&token, Names::after(0)?));
    if let Some(four) = four {
        assert_eq!(Some(four.map(f64::to_bits)), one.map(|value| [value.to_bits(); 4]), "{number:?}");
    }
    assert!(four.is_some() || one.is_none() || !fits(number) || body.len() > 64, "{number:?}");
    one
}

/// Whether a number is short enough to be read with three others.
fn fits(number: &[u8]) -> bool {
    let point = number.iter().position(|&byte| byte == b'.').unwrap_or(number.len());
    (1..=8).contains(&point) && number.len() <= point + 8 && !number.starts_with(b"-.")
}

#[test]
fn what_is_no_plain_decimal_is_left_alone() {
    let Some(wide) = Wide::detect() else { return };
    let not_numbers = [
        "", "-", ".", "-.", "..", "1..2", "1.2.3", "--1", "1-", "1-2", "+1", "1e3", "nan", "1:2", "1:-2", "1/", "/", "-/", "\u{7f}",
        "1\u{e9}",
    ];
    for text in not_numbers.into_iter().chain(["1234567890123456"]) {
        assert_eq!(read(wide, text.as_bytes()), None, "{text}");
    }
}

#[test]
fn four_are_read_in_order() {
    let Some(wide) = Wide::detect() else { return };
    let text = [b"0 qid:1000 1:9.9 1:-2.5 2:12345678.7654321 3:0 4:-12. 5:7", &[b' '; 80][..]].concat();
    let mut tokens = wide.tokens(&text, 16).expect("inside");
    assert_eq!(Names::after(0).and_then(|names| tokens.four(names)), Some([-2.5, 12_345_678.765_432_1, 0.0, -12.0]));
    assert_eq!(Names::after(4).and_then(|names| tokens.four(names)), None);
    tokens.end_at(|start| start + 4);
    let token = tokens.next().expect("one more");
    assert_eq!(Names::after(3).and_then(|name| tokens.value(&token, name)), None);
    assert_eq!(Names::after(4).and_then(|name| tokens.value(&token, name)), Some(7.0));
    assert_eq!(tokens.next(), None);
}

#[test]
fn four_end_with_their_line() {
    let Some(wide) = Wide::detect() else { return };
    for (end, whole) in [("\n", true), (" ", true), ("\t", true), ("#", true), ("\r\n", false), ("\u{c}", false), ("\n4:4 ", true)] {
        let text = [b"0 qid:10 1:1 2:2 3:3 4:4", end.as_bytes(), &[b' '; 80]].concat();
        let values = Names::after(0).and_then(|names| wide.tokens(&text, 8)?.four(names));
        assert_eq!(values, whole.then_some([1.0, 2.0, 3.0, 4.0]), "{end:?}");
        let broken = [b"0 qid:10 1:1 2:2 3:3", end.as_bytes(), b"4:4 ", &[b' '; 80]].concat();
        let values = Names::after(0).and_then(|names| wide.tokens(&broken, 8)?.four(names));
        assert_eq!(values.is_some(), end == " ", "{end:?}");
    }
}

proptest! {
    #[test]
    fn tokens_are_what_stands_between_blanks(text in "0 qid:10( [1:.]{0,9}|\\t[1:.]{0,30}){0,30}", blanks in 0..90usize) {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        let longer = [text.as_bytes(), b"\n", &vec![b' '; blanks]].concat();
        let Some(mut tokens) = wide.tokens(&longer, 8) else { return Ok(()) };
        tokens.end_at(|_| text.len());
        let mut start = 9;
        for token in text.as_bytes()[9.min(text.len())..].split(|&byte| is_blank(byte)).take(if text.len() > 8 { 99 } else { 0 }) {
            prop_assert_eq!(tokens.next(), Some(start..start + token.len()));
            start += token.len() + 1;
        }
        prop_assert_eq!(tokens.next(), None);
    }

    #[test]
    fn each_token_has_its_first_point(bytes in "[1:. ]{64}") {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        let block: &[u8; 64] = bytes.as_bytes().first_chunk().expect("64 bytes");
        let (ends, points) = wide.ends_and_points(block);
        let (mut marks, mut start, mut place) = (Marks::new(ends, points), 0, 0);
        let tokens: Vec<&[u8]> = block.split(|&byte| is_blank(byte)).collect();
        for token in &tokens[..tokens.len() - 1] {
            let point = token.iter().position(|&byte| byte == b'.').unwrap_or(token.len());
            let Token { start: from, point: at, end: to } = marks.take(&mut start);
            prop_assert_eq!([from, at, to], [place, place + point, place + token.len()]);
            place += token.len() + 1;
        }
        prop_assert_eq!(marks.ends, 0);
    }

    #[test]
    fn ends_are_blanks_comments_and_line_ends(bytes in proptest::collection::vec(prop_oneof![Just(b' '), Just(b'\t'), Just(b'#'), Just(b'\n'), any::<u8>()], 64)) {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        let (ends, points) = wide.ends_and_points(bytes.first_chunk().expect("64 bytes"));
        for (i, byte) in bytes.iter().enumerate() {
            prop_assert_eq!((ends >> i & 1 == 1, points >> i & 1 == 1), (b" \t#\n".contains(byte), *byte == b'.'), "{}", byte);
        }
    }

    #[test]
    fn plain_decimals_are_read_as_the_standard_library_reads_them(
        text in "-?([0-9]{1,15}|[0-9]{1,8}(\\.[0-9]{0,6})?|[0-9]{0,7}\\.[0-9]{1,7}|[0-9]\\.[0-9]{1,13})"
    ) {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        prop_assert_eq!(read(wide, text.as_bytes()).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{}", text);
    }

    #[test]
    fn no_byte_but_a_digit_is_one(byte: u8) {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        let digit = byte.is_ascii_digit().then(|| f64::from(byte.wrapping_sub(b'0')));
        for number in [&[byte][..], &[b'3', byte], &[b'-', byte], &[b'0', b'.', byte]] {
            let expect = std::str::from_utf8(number).ok().filter(|_| digit.is_some()).and_then(|text| text.parse().ok());
            if !b". \t#\n".contains(&byte) {
                prop_assert_eq!(read(wide, number), expect, "{:?}", number);
            }
        }
    }

    #[test]
    fn what_is_read_is_a_number(text in "[-+0-9.eE:/x]{0,16}") {
        let Some(wide) = Wide::detect() else { return Ok(()) };
        if let Some(value) = read(wide, text.as_bytes()) {
            prop_assert_eq!(Some(value.to_bits()), text.parse().ok().map(f64::to_bits), "{}", text);
        }
    }
}
