//! Sentences of rustdoc, and how they become attributes.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, prose};
use crate::model::{Kind, Scope};
use crate::plan::{Custom, Planned};
use crate::selectable::{Reads, Selectable};

/// `text` as doc comments, one per line.
pub(super) fn doc(text: &str) -> TokenStream {
    let lines = text.lines().map(comment_line);
    quote! { #(#[doc = #lines])* }
}

/// `text` as doc comments inside of a module, where links start from that module.
pub(super) fn inner_doc(text: &str) -> TokenStream {
    let lines = text.lines().map(comment_line);
    quote! { #(#![doc = #lines])* }
}

/// Text of a schema may hold anything; a comment must not have control characters such as a lone carriage return, nor what changes the
/// direction of text, both of which rustc refuses.
fn comment_line(line: &str) -> String {
    let line: String = line
        .chars()
        .filter(|c| !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let space = if line.is_empty() { "" } else { " " };
    format!("{space}{line}")
}

pub(super) const LEFT_OUT: &str = "\
Kinds of the cluster's document that are not in this build, with the reason; empty unless `LARDER_OPENAPI` names a
document that has such kinds.";

pub(super) const READY_MADE: &str = "\
The runtime's handlers that fit every kind: closures, keys alone, and handlers behind predicates. Each is a
`PodEventHandler`, a `NodeEventHandler` and so on.";

pub(super) const INDEXER: &str = "\
Those that have a method here are made when they are first asked for, and then kept current for as long as the informer
lives. Any other path or function becomes an index by [`add`](Self::add).";

pub(super) const BY_LABELS: &str = "\
The objects that a label selector selects, through the labels index.

Memory of the index, made at first use: for each object 8 bytes per label; for each distinct label with a value about
100 bytes and its text, and as much for each distinct key.";

pub(super) const BY_OWNER: &str = "\
The objects that have an owner of this uid.

Memory of the index, made at first use: 4 bytes for each owner of an object, and about 150 bytes for each distinct owner.";

pub(super) const BY_NAME: &str = "\
The objects of this name, in whichever namespace. One of a known namespace a lister gets without an index.

Memory of the index, made at first use: 4 bytes for each object, and about 100 bytes and its text for each distinct name.";

/// Of the method that finds objects by a field, which is read at `from`.
pub(super) fn by_field(context: &Context<'_>, field: &Selectable, from: &str) -> String {
    let path = &field.path;
    if let Reads::FirstOf(first, second) = &field.reads {
        return format!(
            "The objects whose `{path}` is this: their `{first}`, or where that is empty their `{second}`.\n\n{}",
            memory(true)
        );
    }
    let absent = field.reads.absent(context.planned.kind.origin);
    let is_text = matches!(
        field.reads,
        Reads::Text(_) | Reads::Choice(_) | Reads::Anything(_)
    );
    format!(
        "The objects whose `{from}` is this. Those that have none are under no value here, while the server, asked by\n\
         field selector `{path}`, reads `{absent}` of them.\n\n{}",
        memory(is_text)
    )
}

fn memory(is_text: bool) -> &'static str {
    if is_text {
        "Memory of the index, made at first use: 4 bytes for each object that has a value, and about 100 bytes and its\n\
         text for each distinct value."
    } else {
        "Memory of the index, made at first use: 4 bytes for each object that has a value, and about 100 bytes for each\n\
         distinct value."
    }
}

pub(super) const SELECT: &str = "\
The objects that a query selects: by fields, labels, names and namespaces. Whatever is a query will do: a reference to
one, a label selector, a field selector of the server.";

pub(super) const SELECT_IN_NAMESPACE: &str = "The objects of the namespace that a query selects.";

pub(super) const EXPLAIN: &str = "How `select` answers a query at this moment: through which indexes, with how many objects looked at.";

pub(super) const FIELDS: &str = "\
Reads a field selector as kubectl takes it. It may name `metadata.name`, `metadata.namespace`, the fields by which the
server selects this kind, and the paths of the informer's indexes.";

pub(super) const QUERY: &str = "Reads a label selector and a field selector, either of which may be empty, into the query for both.";

pub(super) fn group(group: &str) -> String {
    if group.is_empty() {
        "The core group: pods, nodes, services, …".to_owned()
    } else {
        format!("The group `{group}`.")
    }
}

pub(super) fn version(kinds: &[&Planned]) -> String {
    let api_version = kinds
        .first()
        .map(|planned| planned.kind.id.api_version())
        .unwrap_or_default();
    let mut text =
        format!("The kinds of `{api_version}`.\n\n| kind | resource | scope |\n|---|---|---|\n");
    for planned in kinds {
        let Kind {
            id, plural, scope, ..
        } = &planned.kind;
        let scope = scope_word(*scope);
        text.push_str(&format!("| [`{}`] | `{plural}` | {scope} |\n", id.kind));
    }
    text
}

fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Namespaced => "namespaced",
        Scope::Cluster => "cluster-scoped",
    }
}

/// `` `Pod` of `v1` (`pods`) ``
fn kind(kind: &Kind) -> String {
    format!(
        "`{}` of `{}` (`{}`)",
        kind.id.kind,
        kind.id.api_version(),
        kind.plural
    )
}

/// Scope, verbs and subresources.
fn facts(kind: &Kind) -> String {
    let verbs: Vec<String> = kind.verbs.iter().map(ToString::to_string).collect();
    let scope = match kind.scope {
        Scope::Namespaced => "Namespaced",
        Scope::Cluster => "Cluster-scoped",
    };
    let mut text = format!("{scope}.");
    // Of a type that was there before its cache, nothing says them.
    if !verbs.is_empty() {
        text.push_str(&format!(" Verbs: {}.", verbs.join(", ")));
    }
    if !kind.subresources.is_empty() {
        let names: Vec<&str> = kind.subresources.iter().map(String::as_str).collect();
        text.push_str(&format!(" Subresources: {}.", names.join(", ")));
    }
    text
}

/// Put before k8s-openapi's own documentation of the type.
pub(super) fn object(context: &Context<'_>) -> String {
    let names = &context.names;
    format!(
        "{}. {}\n\nKept by a [`{}`], read through its [`{}`]. The type is k8s-openapi's:\n\n",
        kind(&context.planned.kind),
        facts(&context.planned.kind),
        names.informer,
        names.lister,
    )
}

/// Before the description of a custom resource's object.
pub(super) fn custom_object(context: &Context<'_>, custom: &Custom) -> String {
    let names = &context.names;
    let mut text = format!(
        "{}. {}\n\nKept by a [`{}`], read through its [`{}`]; what it is made of is in [`{}`].\n\n",
        kind(&context.planned.kind),
        facts(&context.planned.kind),
        names.informer,
        names.lister,
        names.module,
    );
    if let Some(warning) = &custom.kind.deprecated {
        text.push_str(&format!("Deprecated: {}\n\n", prose::clean(warning)));
    }
    text.push_str(&prose::clean(custom.kind.docs.text()));
    text
}

/// A type's first sentence, in which `{}` is the kind, what kind that is, and more.
pub(super) fn about(context: &Context<'_>, first: &str, more: &str) -> String {
    let of = &context.planned.kind;
    let first = first.replace("{}", &format!("[`{}`]", context.names.object));
    let more = if more.is_empty() {
        String::new()
    } else {
        format!("\n\n{more}")
    };
    format!("{first}\n\n{}. {}{more}", kind(of), facts(of))
}

/// Of the alias for metadata alone.
pub(super) fn metadata_informer(context: &Context<'_>) -> String {
    let (names, paths) = (&context.names, context.paths);
    format!(
        "Keeps the metadata of [`{object}`] objects alone, and asks the server for nothing else: reads yield\n\
         `Arc<`{partial}`>`, handlers are [`{handler}`]s of {metadata}.",
        partial = paths.link("PartialObjectMetadata"),
        metadata = paths.link("Metadata"),
        object = names.object,
        handler = names.handler,
    )
}

/// What can go wrong in a method.
#[derive(Clone, Copy)]
pub(super) enum Fails {
    /// Making an informer.
    Make,
    /// Changing one that may be stopped.
    Stopped,
    /// Reading everything.
    Read,
    /// Reading a namespace.
    ReadNamespace,
    /// Reading an object of the cluster.
    Get,
    /// Reading an object in a namespace.
    GetInNamespace,
    /// Reading a selector that is a text.
    Query,
    /// Waiting for a write.
    Wait,
}

impl Fails {
    /// Error and when it occurs, one line each.
    fn errors(self) -> &'static [(&'static str, &'static str)] {
        const NOT_SYNCED: (&str, &str) = (
            "ReadError::NotSynced",
            "before the first complete listing arrived",
        );
        const NOT_WATCHED: (&str, &str) = (
            "ReadError::NamespaceNotWatched",
            "where the informer does not watch the namespace",
        );
        const NOT_FOUND: (&str, &str) = ("ReadError::NotFound", "where there is no such object");
        match self {
            Self::Make => &[(
                "InformerError",
                "where an option is wrong, or outside of a tokio runtime",
            )],
            Self::Stopped => &[("Stopped", "where the informer was stopped")],
            Self::Read => &[NOT_SYNCED],
            Self::ReadNamespace => &[NOT_WATCHED, NOT_SYNCED],
            Self::Get => &[NOT_FOUND, NOT_SYNCED],
            Self::Query => &[(
                "InvalidQuery",
                "where the text is no selector, names what cannot be named, or a value that is none",
            )],
            Self::Wait => &[(
                "WaitError",
                "where the deadline passes, the namespace is not watched, or the informer is stopped",
            )],
            Self::GetInNamespace => &[NOT_FOUND, NOT_WATCHED, NOT_SYNCED],
        }
    }
}

/// A method's sentence and its errors.
pub(super) fn fails(context: &Context<'_>, text: &str, fails: Fails) -> TokenStream {
    let errors = fails.errors().iter();
    let errors: Vec<String> = errors
        .map(|(error, when)| format!("{} {when}", context.paths.link(error)))
        .collect();
    doc(&format!("{text}\n\n# Errors\n\n{}.", errors.join(";\n")))
}
