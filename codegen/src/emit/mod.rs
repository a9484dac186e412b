//! From a plan to Rust code.
//!
//! `names` has every identifier of a kind, `docs` every sentence of rustdoc; the other modules each emit one part of a
//! kind's code. What always holds: emitted code names everything by an absolute path or one the user gave, never
//! depends on a field being optional, and instantiates nothing: every function is generic or `#[inline]`, so that a
//! kind that nobody uses costs a type check and no machine code.

mod custom;
mod docs;
pub(crate) mod existing;
mod handler;
mod indexer;
mod informer;
mod kept;
mod lister;
mod names;
mod prose;
mod selectable;
mod store;

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::plan::{LeftOut, ObjectType, Plan, Planned};
use crate::types::kind_modules;

use self::custom::Properties;
use self::docs::{doc, inner_doc};
use self::names::Names;

/// The paths that emitted code starts from.
pub(crate) struct Paths {
    runtime: TokenStream,
    /// As written, for links in rustdoc; `None` where there cannot be any, as the crate's name is not known.
    runtime_text: Option<String>,
    k8s_openapi: String,
    k8s_openapi_tokens: TokenStream,
}

impl Paths {
    pub(crate) fn parse(
        runtime: &str,
        k8s_openapi: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let mut checked = |option, path: &str| match syn::parse_str::<syn::Path>(path) {
            Ok(parsed) => Some(parsed.to_token_stream()),
            Err(_) => {
                let path = path.to_owned();
                diagnostics.push(Error::of_option(option, Problem::NotAPath { path }));
                None
            }
        };
        let parsed = checked("runtime_path", runtime);
        let k8s_openapi_tokens = checked("k8s_openapi_path", k8s_openapi)?;
        Some(Self {
            runtime: parsed?,
            runtime_text: Some(runtime.to_owned()),
            k8s_openapi: k8s_openapi.to_owned(),
            k8s_openapi_tokens,
        })
    }

    /// For code outside of a file, which k8s-openapi is not known to: the runtime's own is named.
    fn of_runtime(runtime: TokenStream) -> Self {
        let k8s_openapi = quote! { #runtime::__private::k8s_openapi };
        Self {
            runtime_text: None,
            k8s_openapi: k8s_openapi.to_string(),
            k8s_openapi_tokens: k8s_openapi,
            runtime,
        }
    }

    /// Markdown that names something of the runtime.
    fn link(&self, name: &str) -> String {
        match &self.runtime_text {
            Some(path) => format!("[`{name}`]({path}::{name})"),
            None => format!("`{name}`"),
        }
    }
}

/// What stands around a kind's code.
struct Surroundings {
    /// Who sees what stands beside the object.
    vis: TokenStream,
    /// The same, said in the kind's own module.
    inner_vis: TokenStream,
    /// The path, from beside the object, to the trait of ready-made handlers.
    ready_made: TokenStream,
}

impl Surroundings {
    /// Of the modules of a generated file.
    fn of_file() -> Self {
        Self {
            vis: quote! { pub },
            inner_vis: quote! { pub },
            ready_made: quote! { super::super::ReadyMadeHandler },
        }
    }
}

impl Paths {
    /// A path below k8s-openapi's root.
    fn k8s(&self, path: &str) -> Result<syn::Path, Errors> {
        let path = format!("{}::{path}", self.k8s_openapi);
        syn::parse_str(&path).map_err(emitted)
    }
}

/// What the parts of a kind's code share.
struct Context<'a> {
    planned: &'a Planned,
    names: Names,
    /// The path of the runtime.
    rt: &'a TokenStream,
    paths: &'a Paths,
    properties: &'a Properties,
    surroundings: &'a Surroundings,
}

/// The code, formatted, with one module per group and version.
pub(crate) fn emit(plan: &Plan, paths: &Paths) -> Result<String, Errors> {
    check_collisions(plan)?;
    let mut groups: BTreeMap<String, BTreeMap<String, Vec<&Planned>>> = BTreeMap::new();
    for planned in &plan.kinds {
        let [group, version] = kind_modules(&planned.kind.id);
        let versions = groups.entry(group).or_default();
        versions.entry(version).or_default().push(planned);
    }
    let properties = Properties::of(plan);
    let mut modules = Vec::new();
    for (group, versions) in &groups {
        let mut inner = Vec::new();
        for (version, kinds) in versions {
            inner.push(emit_version(version, kinds, paths, &properties)?);
        }
        let name = ident(group);
        let group = versions.values().flatten().next();
        let doc = doc(&docs::group(
            group.map_or("", |planned| &planned.kind.id.group),
        ));
        // A program uses a part of what is here, and may have it in a private module.
        modules.push(quote! {
            #doc
            #[allow(dead_code, non_snake_case, unreachable_pub)]
            pub mod #name { #(#inner)* }
        });
    }
    let definitions = custom::emit_definitions(&plan.library, paths, &properties)?;
    let left_out = left_out_constant(&plan.left_out);
    let ready_made = handler::emit_ready_made(&paths.runtime);
    let properties = properties.emit(&paths.runtime);
    format(&quote! { #(#modules)* #definitions #ready_made #left_out #properties })
}

fn emit_version(
    version: &str,
    kinds: &[&Planned],
    paths: &Paths,
    properties: &Properties,
) -> Result<TokenStream, Errors> {
    let surroundings = Surroundings::of_file();
    let mut items = Vec::new();
    for planned in kinds {
        let context = Context {
            planned,
            names: Names::new(planned),
            rt: &paths.runtime,
            paths,
            properties,
            surroundings: &surroundings,
        };
        items.push(emit_kind(&context)?);
    }
    let name = ident(version);
    let doc = inner_doc(&docs::version(kinds));
    Ok(quote! { pub mod #name { #doc #(#items)* } })
}

fn emit_kind(context: &Context<'_>) -> Result<TokenStream, Errors> {
    let object = match &context.planned.object {
        ObjectType::BuiltIn(path) => {
            let path = context.paths.k8s(path)?;
            let doc = doc(&docs::object(context));
            quote! { #doc #[doc(inline)] pub use #path; }
        }
        ObjectType::Custom(custom) => custom::emit_object(context, custom)?,
        ObjectType::Existing(_) => TokenStream::new(),
    };
    let parts = [
        informer::emit(context),
        store::emit(context),
        indexer::emit(context),
        lister::emit(context),
        handler::emit(context),
        kept::emit(context)?,
    ];
    Ok(quote! { #object #(#parts)* })
}

/// Types and modules are in two namespaces of Rust; within each no name may occur twice.
fn check_collisions(plan: &Plan) -> Result<(), Errors> {
    let mut taken = BTreeMap::new();
    let mut diagnostics = Diagnostics::default();
    for planned in &plan.kinds {
        let [group, version] = kind_modules(&planned.kind.id);
        for name in Names::new(planned).all() {
            let name = format!("{group}::{version}::{name}");
            let second = &planned.kind.id;
            if let Some(first) = taken.insert(name.clone(), second) {
                let (first, second) = (first.to_string(), second.to_string());
                diagnostics.push(Error::new(
                    Place::file("kinds".as_ref()),
                    Problem::NameCollision {
                        name,
                        first,
                        second,
                    },
                ));
            }
        }
    }
    diagnostics.finish(())
}

fn left_out_constant(left_out: &[LeftOut]) -> TokenStream {
    let lines = left_out.iter().map(ToString::to_string);
    let doc = doc(docs::LEFT_OUT);
    quote! { #doc #[allow(dead_code, unreachable_pub)] pub const LEFT_OUT: &[&str] = &[#(#lines),*]; }
}

/// For the crate's own page; empty where nothing was left out.
pub(crate) fn left_out_markdown(left_out: &[LeftOut]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let lines = left_out
        .iter()
        .map(|kind| format!("- `{}`: {}\n", kind.id, kind.reason));
    format!(
        "# Left out\n\nThe cluster's document has kinds that are not in this build:\n\n{}",
        lines.collect::<String>()
    )
}

fn format(code: &TokenStream) -> Result<String, Errors> {
    let file: syn::File = syn::parse2(code.clone()).map_err(emitted)?;
    let header = "// Generated by larder-codegen. Do not edit.\n\n";
    Ok(format!("{header}{}", prettyplease::unparse(&file)))
}

fn emitted(error: syn::Error) -> Errors {
    Error::new(
        Place::file("larder-codegen".as_ref()),
        Problem::Emitted(error),
    )
    .into()
}

/// An identifier out of the naming crate, whose results are always identifiers.
fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
