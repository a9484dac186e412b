//! How the bytes of a response are encoded.

use std::fmt;

/// The encoding of a response's objects, which selects the splitter and the decoder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentType {
    /// `application/json`: UTF-8 JSON, objects of a watch one after the other.
    #[default]
    Json,
}

impl ContentType {
    /// The encoding that the value of a `Content-Type` header names.
    ///
    /// Parameters are ignored (`as=Table` and the like say what the objects are, not how they are written), except
    /// that a charset other than UTF-8 is refused: JSON is UTF-8 (RFC 8259, section 8.1).
    ///
    /// # Errors
    ///
    /// When the media type is not one that can be decoded, with its name.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use larder::ContentType;
    ///
    /// assert_eq!(ContentType::from_header("application/json; charset=utf-8")?, ContentType::Json);
    /// assert!(ContentType::from_header("text/html").is_err());
    /// # Ok::<(), larder::UnsupportedContentType>(())
    /// ```
    pub fn from_header(value: &str) -> Result<Self, UnsupportedContentType> {
        let mut parts = value.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let foreign_charset = parts.any(is_foreign_charset);
        if media_type.eq_ignore_ascii_case("application/json") && !foreign_charset {
            Ok(Self::Json)
        } else {
            Err(UnsupportedContentType::new(value))
        }
    }

    /// The media type, as `Accept` and `Content-Type` headers name it.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
        }
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type())
    }
}

fn is_foreign_charset(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let value = value.trim().trim_matches('"');
    name.trim().eq_ignore_ascii_case("charset")
        && !["utf-8", "utf8", "us-ascii"]
            .iter()
            .any(|known| value.eq_ignore_ascii_case(known))
}

/// A response in an encoding that cannot be decoded, often the page of a proxy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the response is {0:?}, and only application/json can be decoded")]
pub struct UnsupportedContentType(Box<str>);

impl UnsupportedContentType {
    /// More of a header than this is of no help to anyone.
    const SHOWN: usize = 100;

    fn new(value: &str) -> Self {
        Self(value.chars().take(Self::SHOWN).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_ignored_and_other_types_refused() {
        for json in [
            "application/json",
            "Application/JSON",
            "application/json;stream=watch",
            "application/json; charset=\"UTF-8\"",
            " application/json ;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        ] {
            assert_eq!(
                ContentType::from_header(json),
                Ok(ContentType::Json),
                "{json}"
            );
        }
        for other in [
            "",
            "text/html",
            "application/vnd.kubernetes.protobuf",
            "application/cbor",
            "application/json-seq",
            "application/json; charset=utf-16",
        ] {
            let error = ContentType::from_header(other).unwrap_err();
            assert!(error.to_string().contains(&format!("{other:?}")), "{error}");
        }
        let long = ContentType::from_header(&"é".repeat(5000)).unwrap_err();
        assert!(long.to_string().len() < 300);
    }
}
