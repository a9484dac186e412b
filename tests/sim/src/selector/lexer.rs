//! The words of a label selector, split as the server splits them.

/// One word of a label selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    End,
    Open,
    Close,
    Comma,
    Not,
    Equal,
    Unequal,
    Greater,
    Less,
    In,
    NotIn,
    /// A label, a value, or letters that can be neither.
    Identifier,
}

const SYMBOLS: &[(&str, Token)] = &[
    ("==", Token::Equal),
    ("!=", Token::Unequal),
    ("=", Token::Equal),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
    (",", Token::Comma),
    (">", Token::Greater),
    ("<", Token::Less),
];

/// Reads the words of a text one after the other.
pub(super) struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// The next word and how it is written, without taking it.
    pub(super) fn peek(&self) -> (Token, &'a str) {
        let text = self.rest.trim_start_matches(is_space);
        if text.is_empty() {
            return (Token::End, "");
        }
        if let Some(&(symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| text.starts_with(symbol))
        {
            return (token, text.get(..symbol.len()).unwrap_or_default());
        }
        let end = text.find(|letter| is_space(letter) || is_special(letter));
        let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
        let token = match word {
            "in" => Token::In,
            "notin" => Token::NotIn,
            _ => Token::Identifier,
        };
        (token, word)
    }

    pub(super) fn take(&mut self) -> (Token, &'a str) {
        let found = self.peek();
        let text = self.rest.trim_start_matches(is_space);
        self.rest = text.get(found.1.len()..).unwrap_or_default();
        found
    }

    /// As [`peek`](Self::peek) where a label or a value stands: there `in` and `notin` are ordinary words.
    pub(super) fn peek_value(&self) -> (Token, &'a str) {
        as_value(self.peek())
    }

    pub(super) fn take_value(&mut self) -> (Token, &'a str) {
        as_value(self.take())
    }
}

fn as_value((token, text): (Token, &str)) -> (Token, &str) {
    match token {
        Token::In | Token::NotIn => (Token::Identifier, text),
        _ => (token, text),
    }
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_special(letter: char) -> bool {
    matches!(letter, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}
