//! The way in for `larder-derive`: caches of a type that a crate has already.

use proc_macro2::{Ident, Span, TokenStream};

use crate::emit::existing;
use crate::error::Errors;
use crate::model::{Kind, KindId, Origin, Scope};
use crate::plan::{self, ObjectType, Planned};
use crate::selectable::{Reads, Selectable, fields};

/// A type that somebody else made, and the kind whose objects it holds.
///
/// For the macros of Larder. It is no part of the public interface.
pub struct Existing {
    /// The type; in scope, unless it is imported.
    pub name: Ident,
    /// Where it is to be imported from.
    pub import: Option<TokenStream>,
    /// Who sees what is emitted.
    pub vis: syn::Visibility,
    /// The kind's own module, unless it is called after the type.
    pub module: Option<Ident>,
    /// Group, version and kind.
    pub id: KindId,
    /// The name of the resource in paths.
    pub plural: String,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// What lies below an object, as `status`; for the documentation.
    pub subresources: Vec<String>,
    /// The fields that the server selects by, beside name and namespace.
    pub selectable: Vec<SelectablePath>,
}

/// A field that the server selects by.
#[derive(Debug)]
pub struct SelectablePath {
    /// The path as the server knows it: `spec.color`.
    pub path: String,
    /// The path as `field!` takes it, segments with ` as ` among them.
    pub field: String,
    /// Where it was written.
    pub span: Span,
}

impl Existing {
    /// The names of the kind, to stand where the type is in scope. `runtime` is the path of the crate that has the runtime.
    ///
    /// # Errors
    ///
    /// What was emitted is no Rust: a mistake of the generator's.
    pub fn emit(self, runtime: TokenStream) -> Result<TokenStream, Errors> {
        let kind = Kind {
            id: self.id,
            plural: self.plural,
            scope: self.scope,
            verbs: Default::default(),
            subresources: self.subresources.into_iter().collect(),
            watch_unknown: false,
            type_name: None,
            list_type: None,
            origin: Origin::CustomResource,
        };
        let mut selectable = fields(&kind, None);
        let mut spans = Vec::new();
        for SelectablePath { path, field, span } in self.selectable {
            spans.push((path.clone(), span));
            selectable.push(Selectable {
                path: path.into(),
                reads: Reads::Anything(field),
            });
        }
        let planned = Planned {
            kind,
            object: ObjectType::Existing(Box::new(plan::Existing {
                name: self.name,
                import: self.import,
                module: self.module,
                spans,
            })),
            selectable,
        };
        existing::emit(&planned, runtime, &self.vis)
    }
}
