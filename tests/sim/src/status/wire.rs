//! The JSON of a status, with its members in the order of the Go struct.

use super::{Details, Status};
use bytes::Bytes;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: ListMeta<'a>,
    status: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
    code: u16,
}

#[derive(Serialize)]
struct ListMeta<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    continue_token: Option<&'a str>,
}

impl Status {
    /// The object as it goes over the wire.
    #[must_use]
    pub fn to_json(&self) -> Bytes {
        let wire = Wire {
            kind: "Status",
            api_version: "v1",
            metadata: ListMeta {
                continue_token: self.continue_token.as_deref(),
            },
            status: "Failure",
            message: &self.message,
            reason: &self.reason,
            details: self.details.as_deref(),
            code: self.code,
        };
        // Strings and numbers only: nothing in it can fail to serialise.
        serde_json::to_vec(&wire)
            .map(Bytes::from)
            .unwrap_or_default()
    }
}
