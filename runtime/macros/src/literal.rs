//! String literals.

use std::iter::Peekable;
use std::str::Chars;

use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

/// The tokens without the invisible groups in which a `macro_rules!` macro hands on its `$text:literal`.
pub(crate) fn ungrouped(tokens: TokenStream) -> TokenStream {
    let open = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream())
        }
        other => other.into(),
    };
    tokens.into_iter().map(open).collect()
}

/// The text that a string literal stands for, plain or raw; `None` for any other literal.
pub(crate) fn text(literal: &Literal) -> Option<String> {
    let source = literal.to_string();
    if let Some(raw) = source.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return Some(raw.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let mut chars = source
        .strip_prefix('"')?
        .strip_suffix('"')?
        .chars()
        .peekable();
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '\\' => unescape(&mut chars, &mut text)?,
            c => text.push(c),
        }
    }
    Some(text)
}

/// Adds what the rest of an escape stands for; nothing for an end of line, which goes with the blanks behind it.
fn unescape(chars: &mut Peekable<Chars<'_>>, text: &mut String) -> Option<()> {
    let hexadecimal = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    text.push(match chars.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'x' => hexadecimal(&chars.take(2).collect::<String>())?,
        'u' => {
            let digits = chars.skip(1).take_while(|c| *c != '}');
            hexadecimal(&digits.filter(|c| *c != '_').collect::<String>())?
        }
        '\n' => {
            while chars.next_if(char::is_ascii_whitespace).is_some() {}
            return Some(());
        }
        c => c,
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Option<String> {
        text(&source.parse().unwrap())
    }

    #[test]
    fn literals_stand_for_what_rustc_says() {
        for (source, expected) in [
            (stringify!("app=web"), "app=web"),
            (stringify!(""), ""),
            (stringify!(r"a\b"), r"a\b"),
            (stringify!(r#"a"b#"#), r#"a"b#"#),
            (stringify!("\"\\\'\n\r\t\0"), "\"\\\'\n\r\t\0"),
            (stringify!("\x41\u{e9}\u{1_F600}z"), "\x41\u{e9}\u{1_F600}z"),
            ("\"a,\\\n    b\"", "a,b"),
        ] {
            assert_eq!(read(source).as_deref(), Some(expected), "{source}");
        }
        for source in ["5", "'a'", "b\"a\"", "c\"a\"", "br\"a\"", "1.5", "\"a\"u8"] {
            assert_eq!(read(source), None, "{source}");
        }
    }
}
