//! A path to code: one `if let` or `for` a step, the next one inside it.
//!
//! Each call has the span of the segment that it is about, so that what rustc says stands there.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use larder_naming::hash;

use crate::parse::{self, plain};
use crate::path::{Input, Step, What, text};

/// What a path may end in.
#[derive(Clone, Copy)]
pub(crate) enum Leaf {
    /// What objects can be found by.
    Key,
    /// Anything but a list or a map.
    Anything,
}

pub(crate) fn field(tokens: TokenStream, leaf: Leaf) -> TokenStream {
    let input = match parse::input(tokens) {
        Ok(input) => input,
        Err(error) => return error.reported(),
    };
    let walk = walk(&input, leaf);
    match &input.error {
        None => walk,
        // The good part stands beside the error, so that an editor knows the types in it.
        Some(error) => {
            let error = error.reported();
            quote!({ #error; #walk })
        }
    }
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn walk(input: &Input, leaf: Leaf) -> TokenStream {
    let Input {
        runtime,
        root,
        steps,
        ..
    } = input;
    let path = text(steps);
    let (object, emit) = (local("object"), local("emit"));
    let last = steps.len();
    let at = |number: usize| match number {
        0 => object.clone(),
        number => format_ident!("step{number}", span = Span::mixed_site()),
    };
    let span = steps.last().map_or_else(Span::call_site, |step| step.span);
    // Where the path is not whole, what it ends at is no key.
    let end = at(last);
    let mut inner = if input.error.is_none() {
        let key = match leaf {
            Leaf::Key => quote_spanned!(span => At(#end).__key()),
            Leaf::Anything => quote_spanned!(span => At(#end).__leaf()),
        };
        quote!(#emit(#key);)
    } else {
        quote!(let _ = (#end, &#emit);)
    };
    for (number, step) in steps.iter().enumerate().rev() {
        let before = number
            .checked_sub(1)
            .and_then(|number| steps.get(number))
            .map_or_else(Span::call_site, |step| step.span);
        inner = one(step, before, &at(number), &at(number + 1), &inner);
    }
    // In the closure, so that the root is not taken for a helper that is called as it is.
    quote!(#runtime::Field::<#root, _>::__new(#path, |#object, #emit| {
        #[allow(unused_imports)]
        use #runtime::__private::{At, Mapped as _, Next, Plain as _, Spelt as _, Unspelt as _, Walked as _};
        #inner
    }))
}

/// One step from `from` to `to`, with `inner` behind it. `before` is the span of the segment that gave `from`.
fn one(step: &Step, before: Span, from: &Ident, to: &Ident, inner: &TokenStream) -> TokenStream {
    let span = step.span;
    match &step.what {
        What::Field { json, field } => {
            let object = quote_spanned!(before => At(#from).__object());
            let (rust, json) = (hash(&plain(field)), hash(json));
            let object = quote_spanned!(span => Next::<_, #rust>(#object).__spelt::<#json>());
            quote!(if let ::core::option::Option::Some(#to) = At(&#object.#field).__present() { #inner })
        }
        What::Entry { key } => {
            let entry = quote_spanned!(span => At(#from).__entry(#key));
            quote!(if let ::core::option::Option::Some(#to) = #entry {
                if let ::core::option::Option::Some(#to) = At(#to).__present() { #inner }
            })
        }
        What::Items => {
            let items = quote_spanned!(span => At(#from).__items());
            quote!(for #to in #items {
                if let ::core::option::Option::Some(#to) = At(#to).__present() { #inner }
            })
        }
        What::Keys => {
            let names = quote_spanned!(span => At(#from).__names());
            quote!(for #to in #names { #inner })
        }
    }
}
