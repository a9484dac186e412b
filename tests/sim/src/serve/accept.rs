//! What the client accepts.

use crate::{kind::Kind, status::Status, stream::Shape};
use http::{HeaderMap, header::ACCEPT};

/// What the real server serves; the simulated one has JSON alone.
pub(crate) const SERVED: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
];

/// The form in which the client wants what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Full,
    /// `PartialObjectMetadata`: objects and events, not lists.
    Metadata,
    /// `PartialObjectMetadataList`: lists, not objects.
    MetadataList,
}

impl Form {
    /// How one object is shown.
    pub(crate) fn of_object(self, kind: &Kind) -> Result<Shape, Status> {
        match self {
            Self::Full => Ok(Shape::Full),
            Self::Metadata => Ok(Shape::Metadata),
            Self::MetadataList => Err(Status::new(
                406,
                "NotAcceptable",
                format!(
                    "you requested PartialObjectMetadataList, but the requested object is not a list ({})",
                    kind.go_pointer("")
                ),
            )),
        }
    }

    /// How the items of a list are shown.
    pub(crate) fn of_list(self, kind: &Kind) -> Result<Shape, Status> {
        match self {
            Self::Full => Ok(Shape::Full),
            Self::MetadataList => Ok(Shape::Metadata),
            Self::Metadata => Err(Status::new(
                406,
                "NotAcceptable",
                format!(
                    "you requested PartialObjectMetadata, but the requested object is a list ({})",
                    kind.go_pointer("List")
                ),
            )),
        }
    }

    /// How the objects of events are shown.
    pub(crate) fn of_events(self) -> Shape {
        match self {
            Self::Full => Shape::Full,
            Self::Metadata | Self::MetadataList => Shape::Metadata,
        }
    }
}

/// One entry of an `Accept` header: the media type and its parameters.
struct Accepted<'a> {
    media: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Accepted<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let parameters = parts.filter_map(|part| part.split_once('=')).collect();
        Self { media, parameters }
    }

    fn parameter(&self, name: &str) -> &'a str {
        self.parameters
            .iter()
            .find(|(found, _)| *found == name)
            .map(|&(_, value)| value)
            .unwrap_or_default()
    }

    /// The form that a JSON entry asks for, if it is served.
    fn form(&self) -> Option<Form> {
        let is_meta = self.parameter("g") == "meta.k8s.io" && self.parameter("v") == "v1";
        match self.parameter("as") {
            "" => Some(Form::Full),
            "PartialObjectMetadata" if is_meta => Some(Form::Metadata),
            "PartialObjectMetadataList" if is_meta => Some(Form::MetadataList),
            _ => None,
        }
    }

    fn is_json(&self) -> bool {
        matches!(self.media, "application/json" | "application/*" | "*/*")
    }
}

fn entries(headers: &HeaderMap) -> Vec<Accepted<'_>> {
    let values = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|entry| Accepted::parse(entry.trim()))
        .collect()
}

/// The first form that the client asks for and that is served.
pub(crate) fn form(headers: &HeaderMap) -> Result<Form, Status> {
    let entries = entries(headers);
    if entries.is_empty() {
        return Ok(Form::Full);
    }
    let served = entries
        .iter()
        .filter(|entry| entry.is_json())
        .find_map(Accepted::form);
    served.ok_or_else(|| {
        if entries.iter().any(Accepted::is_json) {
            Status::not_acceptable(SERVED)
        } else if entries.iter().any(|entry| SERVED.contains(&entry.media)) {
            Status::not_acceptable(&["application/json (the simulated server has no other)"])
        } else {
            nothing_of_that()
        }
    })
}

/// The refusal of a type that the server has for nothing; its router words it.
fn nothing_of_that() -> Status {
    let streams = [
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf;stream=watch",
    ];
    let all: Vec<&str> = SERVED.iter().copied().chain(streams).collect();
    let message = format!(
        "406: Not Acceptable\n\nAvailable representations: {}",
        all.join(", ")
    );
    Status::new(406, "NotAcceptable", message).with_empty_details()
}

/// Whether the client would take aggregated discovery.
pub(crate) fn aggregated_discovery(headers: &HeaderMap) -> bool {
    entries(headers).iter().any(|entry| {
        entry.is_json()
            && entry.parameter("as") == "APIGroupDiscoveryList"
            && entry.parameter("g") == "apidiscovery.k8s.io"
            && entry.parameter("v") == "v2"
    })
}

#[cfg(test)]
mod tests {
    use super::{Form, aggregated_discovery, form};
    use crate::{kind::Kind, stream::Shape};
    use http::{HeaderMap, HeaderValue, header::ACCEPT};

    fn headers(accept: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if !accept.is_empty() {
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
        }
        headers
    }

    #[test]
    fn the_first_served_representation_wins() {
        for (accept, expected) in [
            ("", Some(Form::Full)),
            ("*/*", Some(Form::Full)),
            ("application/json", Some(Form::Full)),
            (
                "application/vnd.kubernetes.protobuf, application/json",
                Some(Form::Full),
            ),
            ("application/vnd.kubernetes.protobuf", None),
            (
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                Some(Form::Metadata),
            ),
            (
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                Some(Form::MetadataList),
            ),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                Some(Form::Full),
            ),
            ("application/json;as=Table;v=v1;g=meta.k8s.io", None),
        ] {
            assert_eq!(form(&headers(accept)).ok(), expected, "{accept}");
        }
        let aggregated =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        assert!(aggregated_discovery(&headers(aggregated)));
        assert!(!aggregated_discovery(&headers("application/json")));
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        let message = |accept| form(&headers(accept)).err().map(|status| status.message);
        for (accept, expected) in [
            (
                "text/csv",
                "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml,",
            ),
            (
                "application/json;as=Other",
                "only the following media types are accepted: application/json, application/yaml,",
            ),
            (
                "application/yaml",
                "only the following media types are accepted: application/json (the simulated",
            ),
        ] {
            let message = message(accept).unwrap_or_default();
            assert!(message.starts_with(expected), "{accept}: {message}");
        }
    }

    #[test]
    fn metadata_is_asked_for_by_the_kind_of_what_is_asked_for() {
        let role = Kind::new("rbac.authorization.k8s.io", "v1", "Role", "roles");
        assert_eq!(Form::Metadata.of_object(&role), Ok(Shape::Metadata));
        assert_eq!(Form::MetadataList.of_list(&role), Ok(Shape::Metadata));
        let message = |refusal: Result<Shape, crate::status::Status>| {
            refusal.err().map(|status| (status.code, status.message))
        };
        assert_eq!(
            message(Form::Metadata.of_list(&role)),
            Some((406, "you requested PartialObjectMetadata, but the requested object is a list (*rbac.RoleList)".to_owned()))
        );
        assert_eq!(
            message(Form::MetadataList.of_object(&role)),
            Some((406, "you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.Role)".to_owned()))
        );
    }
}
