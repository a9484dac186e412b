//! A label selector's text to the constant that it stands for.

use larder_selector::{Invalid, Requirement, Test, Values, parse};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;

use crate::error::Error;
use crate::literal::{self, ungrouped};
use crate::parse::until;

/// Expands `$crate; "text"`.
pub(crate) fn labels(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let runtime = until(&mut tokens, ';');
    match requirements(ungrouped(tokens.collect())) {
        Ok(requirements) => constant(&runtime, &requirements),
        Err(error) => error.reported(),
    }
}

fn requirements(tokens: TokenStream) -> Result<Vec<Requirement>, Error> {
    let mut tokens = tokens.into_iter();
    let needed = |span| {
        Error::new(
            span,
            "a label selector is one string literal here, as in `labels!(\"app=web,tier in (front, edge),!canary\")`; \
             a text that is known at run time alone is parsed: `text.parse::<LabelSelector>()`",
        )
    };
    let (span, text) = match tokens.next() {
        Some(TokenTree::Literal(literal)) => (literal.span(), literal::text(&literal)),
        Some(other) => return Err(needed(other.span())),
        None => return Err(needed(Span::call_site())),
    };
    let text = text.ok_or_else(|| needed(span))?;
    let mut more = tokens
        .skip_while(|token| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ','));
    if let Some(more) = more.next() {
        return Err(needed(more.span()));
    }
    parse(&text).map_err(|invalid| Error::new(span, shown(&text, &invalid)))
}

/// The problem, and the line of the text that it is in, with its place marked: a literal has no places for rustc to show.
fn shown(text: &str, invalid: &Invalid) -> String {
    let at = invalid.at().unwrap_or_default();
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let behind = behind.lines().next().unwrap_or_default();
    let indent = " ".repeat(before.chars().count());
    format!("no label selector: {invalid}\n\n    {before}{behind}\n    {indent}^")
}

fn constant(runtime: &TokenStream, requirements: &[Requirement]) -> TokenStream {
    let requirements = requirements.iter().map(|requirement| {
        let key = requirement.key();
        let test = test(requirement.test());
        quote!(Requirement::__new(#key, #test))
    });
    quote!({
        #[allow(unused_imports)]
        use #runtime::__private::{Requirement, Test, Values};
        #runtime::LabelSelector::__new(const { &[#(#requirements),*] })
    })
}

fn test(test: &Test) -> TokenStream {
    let constant = |values: &Values| {
        let values = values.iter();
        quote!(Values::__new(const { &[#(::std::borrow::Cow::Borrowed(#values)),*] }))
    };
    match test {
        Test::In(values) => {
            let values = constant(values);
            quote!(Test::In(#values))
        }
        Test::NotIn(values) => {
            let values = constant(values);
            quote!(Test::NotIn(#values))
        }
        Test::Exists => quote!(Test::Exists),
        Test::Absent => quote!(Test::Absent),
        Test::Greater(bound) => quote!(Test::Greater(#bound)),
        Test::Less(bound) => quote!(Test::Less(#bound)),
    }
}
