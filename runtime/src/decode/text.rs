//! Strings of JSON: where one ends, and what its escapes mean.

use std::borrow::Cow;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// The index of the first byte from `from` on that is `"`, `\` or a control character; the length if there is none.
///
/// Most strings of an object are shorter than 16 bytes: words first, wide blocks only for the long ones.
#[inline(always)]
pub(super) fn plain_end(bytes: &[u8], from: usize) -> usize {
    let mut rest = bytes.get(from..).unwrap_or_default();
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return bytes.len() - rest.len() + (special.trailing_zeros() / 8) as usize;
        }
        rest = tail;
    }
    plain_end_slow(bytes, rest)
}

/// Less than a word before the end of the bytes.
#[inline(never)]
fn plain_end_slow(bytes: &[u8], rest: &[u8]) -> usize {
    let special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
    let skipped = bytes.len() - rest.len();
    skipped + rest.iter().position(special).unwrap_or(rest.len())
}

/// Has the high bit of the first special byte (in memory order) set; bits above the lowest set one mean nothing.
///
/// Exchanging 0x20 and 0x22 puts the quote next to the control characters, so that one comparison finds both.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    let quote_or_control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !word & HIGH
}

/// What is wrong with an escape, and how many bytes after the backslash.
pub(super) struct BadEscape;

/// Reads the escape whose backslash is at `at`: the character and the index behind it.
pub(super) fn escape(text: &str, at: usize) -> Result<(char, usize), BadEscape> {
    let bytes = text.as_bytes();
    let character = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at),
        _ => return Err(BadEscape),
    };
    Ok((character, at + 2))
}

fn unicode_escape(bytes: &[u8], at: usize) -> Result<(char, usize), BadEscape> {
    let first = hex4(bytes, at + 2).ok_or(BadEscape)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, at + 6));
    }
    // A surrogate: only a high one followed by the escape of a low one means anything.
    let escaped = bytes.get(at + 6..at + 8) == Some(br"\u");
    let second = hex4(bytes, at + 8).filter(|low| escaped && (0xDC00..0xE000).contains(low));
    match second {
        Some(low) if first < 0xDC00 => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            char::from_u32(code)
                .map(|character| (character, at + 12))
                .ok_or(BadEscape)
        }
        _ => Err(BadEscape),
    }
}

/// Four hexadecimal digits.
pub(super) fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, byte| {
        Some(value << 4 | char::from(*byte).to_digit(16)?)
    })
}

/// The text between the quotes of a JSON string, unescaped; `None` if it is not valid.
pub(super) fn unescape(raw: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(raw).ok()?;
    let mut end = plain_end(raw, 0);
    if end == raw.len() {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(raw.len());
    let mut from = 0;
    while raw.get(end) == Some(&b'\\') {
        out.push_str(text.get(from..end)?);
        let (character, next) = escape(text, end).ok()?;
        out.push(character);
        from = next;
        end = plain_end(raw, from);
    }
    (end == raw.len()).then_some(())?;
    out.push_str(text.get(from..)?);
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_plain_text_is_found_at_every_offset() {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for length in 0..100 {
                for plain in [b'a', 0x7f, 0x80, 0xff, b' ', b'!', b'#', b'[', b']'] {
                    let mut bytes = vec![plain; length];
                    assert_eq!(plain_end(&bytes, 0), length);
                    bytes.push(special);
                    bytes.extend([special; 9]);
                    for from in 0..=length {
                        assert_eq!(plain_end(&bytes, from), length, "{special} {plain} {from}");
                    }
                }
            }
        }
        assert_eq!(plain_end(b"abc", 7), 3);
    }

    #[test]
    fn escapes_agree_with_serde_json() {
        for raw in [
            r"plain",
            r"\n\t\r\b\f\/\\\u0041",
            r#"a\"b"#,
            r"\ud83d\ude00!",
            r"\u00e9é",
            r"\ud83d",
            r"\ude00",
            r"\ud83dx",
            r"\ud83d\n",
            r"\ud83d\u0041",
            r"\ud83d\ud83d",
            r"\u12",
            r"\u12g4",
            r"\x",
            r"\",
            r"\u+123",
            "\u{1}",
            "a\nb",
        ] {
            let ours = unescape(raw.as_bytes()).map(Cow::into_owned);
            let theirs = serde_json::from_str::<String>(&format!("\"{raw}\"")).ok();
            assert_eq!(ours, theirs, "{raw:?}");
        }
        assert_eq!(unescape(br#"a"b"#), None);
        assert_eq!(unescape(b"\xff"), None);
        assert!(matches!(unescape(b"web-0"), Some(Cow::Borrowed("web-0"))));
    }
}
