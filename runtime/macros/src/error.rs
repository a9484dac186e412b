//! What is wrong, and where.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

pub(crate) struct Error {
    span: Span,
    message: String,
}

impl Error {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// The error as rustc's own.
    pub(crate) fn reported(&self) -> TokenStream {
        let message = &self.message;
        quote_spanned!(self.span => ::core::compile_error!(#message))
    }
}
