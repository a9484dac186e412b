//! The macros that make caches of types a crate has: the derive `Cached` and `cached!`. Use them through `larder`, which says more of
//! both; nobody depends on this crate alone.
//!
//! ```text
//! #[kube(…)] #[larder(…)] ──derive──┐
//!                                   ├──▶ Said ──existing──▶ larder_codegen::Existing ──▶ what a build script gets for a kind
//! cached!(Gadget, group = …) ──────┘
//! ```
//!
//! It is a crate of its own so that the runtime does not wait for the generator to be built.

mod cached;
mod derive;
mod existing;
mod plural;
mod said;

use proc_macro::TokenStream;

/// Emits the names of the kind whose spec the type is; see `larder::Cached`.
#[proc_macro_derive(Cached, attributes(kube, larder))]
pub fn derive_cached(input: TokenStream) -> TokenStream {
    let expanded = derive::derive(input.into());
    expanded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}

/// Expands `$crate; Type, group = "…", …`; see `larder::cached!`, which passes its own crate.
#[doc(hidden)]
#[proc_macro]
pub fn cached(input: TokenStream) -> TokenStream {
    let expanded = cached::cached(input.into());
    expanded
        .unwrap_or_else(|error| error.to_compile_error())
        .into()
}
