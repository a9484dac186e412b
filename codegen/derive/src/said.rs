//! What is said of a kind, in attributes and behind the type of `cached!`: keys, each alone or with a value.

use larder_codegen::inspect::nearest;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Error, Expr, ExprLit, Lit, LitBool, LitStr, Result, Token};

/// Who reads the keys, and so which there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// kube's derive: it refuses what it does not know, and what is of no use here is passed over.
    Kube,
    /// Ours, beside kube's.
    Larder,
    /// `cached!`.
    Cached,
}

impl Reader {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Kube => &[],
            Self::Larder => &["crate", "module", "selectable"],
            Self::Cached => &[
                "group",
                "version",
                "kind",
                "plural",
                "namespaced",
                "selectable",
                "module",
            ],
        }
    }
}

/// All that was said.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) group: Option<LitStr>,
    pub(crate) version: Option<LitStr>,
    pub(crate) kind: Option<LitStr>,
    pub(crate) singular: Option<LitStr>,
    pub(crate) plural: Option<LitStr>,
    pub(crate) namespaced: bool,
    /// The name of the object's type, where it is not that of the kind.
    pub(crate) root: Option<LitStr>,
    /// Whether the properties of the spec are at the object's root in JSON.
    pub(crate) no_spec: bool,
    pub(crate) subresources: Vec<String>,
    pub(crate) selectable: Vec<LitStr>,
    pub(crate) module: Option<LitStr>,
    pub(crate) runtime: Option<LitStr>,
}

impl Said {
    /// Reads keys with commas between, to the end.
    pub(crate) fn read(&mut self, input: ParseStream<'_>, reader: Reader) -> Result<()> {
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            self.read_key(&key, input, reader)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    fn read_key(&mut self, key: &Ident, input: ParseStream<'_>, reader: Reader) -> Result<()> {
        let name = key.unraw().to_string();
        let known = reader.keys();
        if reader != Reader::Kube && !known.contains(&name.as_str()) {
            return Err(Error::new(key.span(), unknown(&name, known)));
        }
        if let Some(place) = self.text(&name, reader) {
            let text = literal(&name, input)?;
            if place.is_some() {
                return Err(Error::new(key.span(), format!("`{name}` is given twice")));
            }
            *place = Some(text);
            return Ok(());
        }
        match name.as_str() {
            "namespaced" => self.namespaced = flag(input)?,
            "no_spec" => self.no_spec = flag(input)?,
            "selectable" => self.selectable.push(literal(&name, input)?),
            _ => {
                if let "status" | "scale" = name.as_str() {
                    self.subresources.push(name);
                }
                pass_over(input)?;
            }
        }
        Ok(())
    }

    /// Where the text of this key belongs.
    fn text(&mut self, name: &str, reader: Reader) -> Option<&mut Option<LitStr>> {
        Some(match name {
            "group" => &mut self.group,
            "version" => &mut self.version,
            "kind" => &mut self.kind,
            "plural" => &mut self.plural,
            "singular" => &mut self.singular,
            // kube called it `struct` before.
            "root" | "struct" => &mut self.root,
            "module" if reader != Reader::Kube => &mut self.module,
            "crate" if reader != Reader::Kube => &mut self.runtime,
            _ => return None,
        })
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    let keys: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
    let meant = nearest(name, known.iter().copied());
    let meant = meant.map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"));
    format!(
        "there is no `{name}` here{meant}: the keys are {}",
        keys.join(", ")
    )
}

/// The string behind a key.
fn literal(name: &str, input: ParseStream<'_>) -> Result<LitStr> {
    let wrong = |span| {
        Error::new(
            span,
            format!("`{name}` is a string literal: `{name} = \"…\"`"),
        )
    };
    if !input.peek(Token![=]) {
        return Err(wrong(input.span()));
    }
    input.parse::<Token![=]>()?;
    let span = input.span();
    let mut value: Expr = input.parse()?;
    // In which a `macro_rules!` macro hands on its `$kind:literal`.
    while let Expr::Group(group) = value {
        value = *group.expr;
    }
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(text),
        _ => Err(wrong(span)),
    }
}

/// A key alone, or with `true` or `false`.
fn flag(input: ParseStream<'_>) -> Result<bool> {
    if !input.peek(Token![=]) {
        return Ok(true);
    }
    input.parse::<Token![=]>()?;
    Ok(input.parse::<LitBool>()?.value)
}

/// Whatever stands behind a key.
fn pass_over(input: ParseStream<'_>) -> Result<()> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        input.parse::<Expr>()?;
    } else if input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in input);
        inner.parse::<TokenStream>()?;
    }
    Ok(())
}
