//! The body of a list.

use super::{
    body::{BodyError, ResponseBody, cut},
    plan::End,
    wire::{Shape, Wire},
};
use crate::{kind::Kind, object::Stored};
use bytes::Bytes;
use futures_util::stream;
use std::{sync::Arc, vec};

/// What stands before the items.
#[derive(Clone, Debug)]
pub(crate) struct ListHead {
    pub(crate) version: u64,
    pub(crate) continue_token: Option<String>,
    pub(crate) remaining: Option<u64>,
}

impl ListHead {
    fn text(&self, kind: &Kind, shape: Shape, is_null: bool) -> String {
        let (name, api_version) = match shape {
            Shape::Full => (format!("{}List", kind.kind), kind.api_version()),
            Shape::Metadata => (
                "PartialObjectMetadataList".to_owned(),
                "meta.k8s.io/v1".to_owned(),
            ),
        };
        let items = if is_null { "null" } else { "[" };
        let token = self
            .continue_token
            .as_ref()
            .map(|token| format!(",\"continue\":\"{token}\""))
            .unwrap_or_default();
        let remaining = self
            .remaining
            .map(|count| format!(",\"remainingItemCount\":{count}"))
            .unwrap_or_default();
        format!(
            "{{\"kind\":\"{name}\",\"apiVersion\":\"{api_version}\",\"metadata\":{{\"resourceVersion\":\"{}\"{token}{remaining}}},\"items\":{items}",
            self.version
        )
    }
}

struct Listing {
    kind: Arc<Kind>,
    head: Option<ListHead>,
    items: vec::IntoIter<Arc<Stored>>,
    is_first: bool,
    /// Whether `items` is null in place of an array.
    is_null: bool,
    wire: Wire,
}

/// A list that is written chunk by chunk as the client reads it.
pub(crate) fn list_body(
    kind: Arc<Kind>,
    head: ListHead,
    items: Vec<Arc<Stored>>,
    wire: Wire,
) -> ResponseBody {
    let listing = Listing {
        kind,
        head: Some(head),
        items: items.into_iter(),
        is_first: true,
        is_null: false,
        wire,
    };
    ResponseBody::streamed(stream::unfold(Some(listing), |listing| async move {
        let mut listing = listing?;
        let item = listing.next().await?;
        let next = item.is_ok().then_some(listing);
        Some((item, next))
    }))
}

impl Listing {
    fn fill(&mut self) {
        if let Some(head) = self.head.take() {
            // The server makes the list of metadata from nothing, and Go writes such an empty one as null.
            self.is_null = self.wire.shape() == Shape::Metadata && self.items.len() == 0;
            let text = head.text(&self.kind, self.wire.shape(), self.is_null);
            self.wire.text(&text);
        }
        while !self.wire.is_full() {
            let Some(object) = self.items.next() else {
                self.wire.text(if self.is_null { "}\n" } else { "]}\n" });
                self.wire.finish();
                return;
            };
            self.wire
                .item(&self.kind, &object, std::mem::take(&mut self.is_first));
        }
    }

    async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        self.fill();
        if let Some(pace) = self.wire.plan().and_then(|plan| plan.pace) {
            tokio::time::sleep(pace).await;
        }
        if let Some(chunk) = self.wire.take() {
            return Some(Ok(chunk));
        }
        match self.wire.end()? {
            End::Clean => None,
            End::Cut => cut().await,
            End::Silence => std::future::pending().await,
        }
    }
}
