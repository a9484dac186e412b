//! The procedural half of `field!` and `labels!`, which `larder` and `larder-runtime` have; nobody depends on this crate alone.
//!
//! ```text
//! field!:  tokens ──parse──▶ Path of segments ──expand──▶ nested field accesses
//! labels!: literal ──larder-selector──▶ requirements ──labels──▶ a constant
//! ```
//!
//! Nothing here knows a type: that a segment exists and what it is, rustc says, at the span of the segment. What is
//! known is spelling: `larder-naming` turns a JSON name into a Rust field, as it does for the generator.

mod error;
mod expand;
mod labels;
mod literal;
mod parse;
mod path;

use proc_macro::TokenStream;

use expand::Leaf;

/// Expands `$crate; Root, path` to a `Field`; see `field!`, which passes its own crate.
#[doc(hidden)]
#[proc_macro]
pub fn field(input: TokenStream) -> TokenStream {
    expand::field(input.into(), Leaf::Key).into()
}

/// As `field`, but what the path ends in need be no key. Generated code names it, of types that it does not know.
#[doc(hidden)]
#[proc_macro]
pub fn leaf(input: TokenStream) -> TokenStream {
    expand::field(input.into(), Leaf::Anything).into()
}

/// Expands `$crate; "selector"` to a `LabelSelector`; see `labels!`, which passes its own crate.
#[doc(hidden)]
#[proc_macro]
pub fn labels(input: TokenStream) -> TokenStream {
    labels::labels(input.into()).into()
}
