//! What the client accepts.

use crate::{status::Status, stream::Shape};
use http::{HeaderMap, header::ACCEPT};

const SERVED: &[&str] = &["application/json"];

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

/// The first representation that the client asks for and that is served: objects, or their metadata alone.
pub(crate) fn shape(headers: &HeaderMap) -> Result<Shape, Status> {
    let entries = entries(headers);
    if entries.is_empty() {
        return Ok(Shape::Full);
    }
    let served = entries
        .iter()
        .filter(|entry| entry.is_json())
        .find_map(|entry| match entry.parameter("as") {
            "" => Some(Shape::Full),
            "PartialObjectMetadata" | "PartialObjectMetadataList"
                if entry.parameter("g") == "meta.k8s.io" && entry.parameter("v") == "v1" =>
            {
                Some(Shape::Metadata)
            }
            _ => None,
        });
    served.ok_or_else(|| Status::not_acceptable(SERVED))
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
    use super::{aggregated_discovery, shape};
    use crate::stream::Shape;
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
            ("", Some(Shape::Full)),
            ("*/*", Some(Shape::Full)),
            ("application/json", Some(Shape::Full)),
            (
                "application/vnd.kubernetes.protobuf, application/json",
                Some(Shape::Full),
            ),
            ("application/vnd.kubernetes.protobuf", None),
            (
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                Some(Shape::Metadata),
            ),
            (
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                Some(Shape::Metadata),
            ),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
                Some(Shape::Full),
            ),
            ("application/json;as=Table;v=v1;g=meta.k8s.io", None),
        ] {
            assert_eq!(shape(&headers(accept)).ok(), expected, "{accept}");
        }
        let aggregated =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        assert!(aggregated_discovery(&headers(aggregated)));
        assert!(!aggregated_discovery(&headers("application/json")));
    }
}
