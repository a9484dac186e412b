//! Tokens to a path. What cannot be read ends the path with an error; the segments before it stay.

use std::iter::Peekable;

use larder_naming::{field_name, meant_property};
use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};

use crate::error::Error;
use crate::literal::{self, ungrouped};
use crate::path::{Input, Step, What};

type Tokens = Peekable<IntoIter>;

/// Reads `$crate; Root, path`.
pub(crate) fn input(tokens: TokenStream) -> Result<Input, Error> {
    let mut tokens = tokens.into_iter().peekable();
    let runtime = until(&mut tokens, ';');
    let root = until(&mut tokens, ',');
    if root.is_empty() {
        return Err(Error::new(
            Span::call_site(),
            "a type and a path are needed, as in `field!(Pod, spec.nodeName)`",
        ));
    }
    if tokens.peek().is_none() {
        return Err(Error::new(
            end_of(&root),
            "a path is needed behind the type, as in `field!(Pod, spec.nodeName)`",
        ));
    }
    let mut steps = Vec::new();
    let mut tokens = ungrouped(tokens.collect()).into_iter().peekable();
    let error = path(&mut tokens, &mut steps).err();
    Ok(Input {
        runtime,
        root,
        steps,
        error,
    })
}

/// The tokens up to `separator`, which is taken too; not one between angle brackets.
pub(crate) fn until(tokens: &mut Tokens, separator: char) -> TokenStream {
    let mut depth = 0_usize;
    let mut taken = Vec::new();
    // Of `->`, which closes nothing.
    let mut after_dash = false;
    for token in tokens.by_ref() {
        let punct = match &token {
            TokenTree::Punct(punct) => Some(punct.as_char()),
            _ => None,
        };
        match punct {
            Some(c) if c == separator && depth == 0 => break,
            Some('<') => depth += 1,
            Some('>') if !after_dash => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_dash = punct == Some('-');
        taken.push(token);
    }
    taken.into_iter().collect()
}

fn end_of(tokens: &TokenStream) -> Span {
    let last = tokens.clone().into_iter().last();
    last.map_or_else(Span::call_site, |token| token.span())
}

fn path(tokens: &mut Tokens, steps: &mut Vec<Step>) -> Result<(), Error> {
    steps.push(field(tokens, None)?);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(dot) if dot.as_char() == '.' => {
                steps.push(field(tokens, Some(dot.span()))?);
            }
            TokenTree::Group(group) => steps.push(step_into(&group)?),
            // A comma may stand at the end.
            TokenTree::Punct(comma) if comma.as_char() == ',' && tokens.peek().is_none() => {}
            other => {
                return Err(Error::new(
                    other.span(),
                    "a segment is followed by `.`, `[]`, `[\"key\"]` or `{}`; a name that is no Rust identifier is a string: `\"x-name\"`",
                ));
            }
        }
    }
    Ok(())
}

/// A field segment, with the name of its Rust field where one is given.
fn field(tokens: &mut Tokens, dot: Option<Span>) -> Result<Step, Error> {
    let (json, span, quoted) = match tokens.next() {
        Some(TokenTree::Ident(ident)) => (plain(&ident), ident.span(), false),
        Some(TokenTree::Literal(literal)) => (string(&literal)?, literal.span(), true),
        Some(other) => {
            return Err(Error::new(
                other.span(),
                "the name of a field stands here; one that is no Rust identifier is a string: `\"x-name\"`",
            ));
        }
        None => {
            return Err(Error::new(
                dot.unwrap_or_else(Span::call_site),
                "the path ends here: name a field behind the `.`",
            ));
        }
    };
    let field = match alias(tokens)? {
        Some(field) => field,
        None => {
            check_spelling(&json, span, quoted)?;
            Ident::new(&field_name(&json), span)
        }
    };
    Ok(Step {
        what: What::Field { json, field },
        span,
    })
}

/// The name without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_owned()
}

/// The Rust field behind `as`.
fn alias(tokens: &mut Tokens) -> Result<Option<Ident>, Error> {
    let is_as = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if *ident == "as");
    let Some(keyword) = tokens.next_if(is_as) else {
        return Ok(None);
    };
    match tokens.next() {
        Some(TokenTree::Ident(field)) => Ok(Some(field)),
        other => Err(Error::new(
            other.map_or_else(|| keyword.span(), |token| token.span()),
            "the Rust name of the field stands behind `as`",
        )),
    }
}

/// Refuses the Rust name of a property of Kubernetes' own types, and other capitals than its own.
fn check_spelling(json: &str, span: Span, quoted: bool) -> Result<(), Error> {
    let Some(meant) = meant_property(json) else {
        return Ok(());
    };
    let quotes = if quoted { "" } else { "\"" };
    let field = field_name(json);
    Err(Error::new(
        span,
        format!(
            "a path is spelt as in JSON: `{meant}`. If your own type has a property `{json}`, name its Rust field too: \
             `{quotes}{json}{quotes} as {field}`"
        ),
    ))
}

fn step_into(group: &Group) -> Result<Step, Error> {
    let span = group.span();
    let mut inner = ungrouped(group.stream()).into_iter();
    let what = match (group.delimiter(), inner.next(), inner.next()) {
        (Delimiter::Bracket, None, _) => What::Items,
        (Delimiter::Brace, None, _) => What::Keys,
        (Delimiter::Bracket, Some(TokenTree::Literal(key)), None) => What::Entry {
            key: entry_key(&key)?,
        },
        _ => {
            return Err(Error::new(
                span,
                "here stands `[]` for the items of a list or the values of a map, `[\"key\"]` for one value of a map, or \
                 `{}` for its keys",
            ));
        }
    };
    Ok(Step { what, span })
}

fn entry_key(literal: &Literal) -> Result<String, Error> {
    literal::text(literal).ok_or_else(|| {
        Error::new(
            literal.span(),
            "a list has no single items to select, as their places mean nothing: `[]` walks all. The key of a map is a string",
        )
    })
}

fn string(literal: &Literal) -> Result<String, Error> {
    literal::text(literal).ok_or_else(|| {
        Error::new(
            literal.span(),
            format!("a field whose name is no Rust identifier is a string: `\"{literal}\"`"),
        )
    })
}
