//! What surrounds the objects: the members of a list, and of each event of a watch.

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;

use super::de;
use super::split_types::{EventType, ListEnd, SplitError};

/// What was read so far of the list, or of the event at hand.
pub(super) enum Envelope {
    List(List),
    Watch(Event),
}

#[derive(Default)]
pub(super) struct List {
    pub(super) has_items: bool,
    kind_says_list: bool,
    metadata: ListMeta,
}

#[derive(Default, Clone, Copy)]
pub(super) struct Event {
    pub(super) kind: Option<EventType>,
    /// Where the object is, counted from the event's start.
    pub(super) object: Option<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Kind,
    Metadata,
    Items,
    Type,
    Object,
    Other,
}

impl Envelope {
    /// Which member a key names.
    pub(super) fn member(&self, key: Option<&str>) -> Member {
        match (self, key) {
            (Self::List(_), Some("kind")) => Member::Kind,
            (Self::List(_), Some("metadata")) => Member::Metadata,
            (Self::List(_), Some("items")) => Member::Items,
            (Self::Watch(_), Some("type")) => Member::Type,
            (Self::Watch(_), Some("object")) => Member::Object,
            _ => Member::Other,
        }
    }

    /// Takes the value of a member that holds no object.
    pub(super) fn read(
        &mut self,
        member: Member,
        bytes: &[u8],
        tape: &[u32],
    ) -> Result<(), SplitError> {
        let text = || de::from_bytes::<Cow<'_, str>>(bytes, tape).ok();
        match (self, member) {
            (Self::Watch(event), Member::Type) => event.kind = text().as_deref().map(EventType::of),
            (Self::List(list), Member::Kind) => {
                list.kind_says_list = text().is_some_and(|kind| kind.ends_with("List"));
            }
            (Self::List(list), Member::Items) => {
                if bytes != b"null" {
                    return Err(SplitError::NotAList);
                }
                list.has_items = true;
            }
            (Self::List(list), Member::Metadata) => {
                let metadata = de::from_bytes::<Option<ListMeta>>(bytes, tape);
                list.metadata = metadata.map_err(SplitError::Metadata)?.unwrap_or_default();
            }
            _ => {}
        }
        Ok(())
    }
}

impl List {
    /// What the complete list said about itself.
    ///
    /// A single object and a `Status` are JSON objects, too: without items it is a list only if its kind says so.
    pub(super) fn end(self) -> Result<ListEnd, SplitError> {
        if !self.has_items && !self.kind_says_list {
            return Err(SplitError::NotAList);
        }
        let some = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok(ListEnd {
            resource_version: some(self.metadata.resource_version),
            continue_token: some(self.metadata.continue_),
            remaining_item_count: self.metadata.remaining_item_count,
        })
    }
}
