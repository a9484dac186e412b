//! The query parameters of lists and watches, checked as the server checks them.

use crate::status::{FieldError, Status};
use std::time::Duration;

/// Longer timeouts than this are cut to it, so that no clock overflows.
const LONGEST_TIMEOUT: u64 = 365 * 24 * 3600;
const EXACT: &str = "Exact";
const NOT_OLDER_THAN: &str = "NotOlderThan";

/// `ListOptions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListParams {
    pub(crate) watch: bool,
    pub(crate) label_selector: String,
    pub(crate) field_selector: String,
    pub(crate) resource_version: String,
    pub(crate) version_match: VersionMatch,
    pub(crate) limit: usize,
    pub(crate) continue_token: String,
    pub(crate) timeout: Option<Duration>,
    pub(crate) send_initial_events: Option<bool>,
    pub(crate) allow_bookmarks: bool,
}

/// `resourceVersionMatch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum VersionMatch {
    #[default]
    Unset,
    Exact,
    NotOlderThan,
    Unknown(String),
}

impl ListParams {
    /// Reads the query. Parameters that the server does not know are ignored.
    pub(crate) fn parse(query: &str) -> Result<Self, Status> {
        let mut params = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "watch" => params.watch = flag(&value),
                "labelSelector" => params.label_selector = value.into_owned(),
                "fieldSelector" => params.field_selector = value.into_owned(),
                "resourceVersion" => params.resource_version = value.into_owned(),
                "resourceVersionMatch" => params.version_match = VersionMatch::from(value.as_ref()),
                "limit" => params.limit = usize::try_from(number(&value)?).unwrap_or(0),
                "continue" => params.continue_token = value.into_owned(),
                "timeoutSeconds" => params.timeout = timeout(number(&value)?),
                "sendInitialEvents" => params.send_initial_events = Some(flag(&value)),
                "allowWatchBookmarks" => params.allow_bookmarks = flag(&value),
                _ => {}
            }
        }
        Ok(params)
    }

    /// Checks the parameters against each other. Source: `ValidateListOptions` of apimachinery 1.37.
    pub(crate) fn validate(&self, serves_watch_lists: bool) -> Result<(), Status> {
        let errors = if self.watch {
            self.watch_errors(serves_watch_lists)
        } else {
            self.list_errors()
        };
        if errors.is_empty() {
            return Ok(());
        }
        Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors))
    }

    fn list_errors(&self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let mut refuse =
            |why: &str| errors.push(FieldError::forbidden("resourceVersionMatch", why));
        if self.version_match != VersionMatch::Unset {
            if self.resource_version.is_empty() {
                refuse("resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if !self.continue_token.is_empty() {
                refuse("resourceVersionMatch is forbidden when continue is provided");
            }
        }
        if self.version_match == VersionMatch::Exact && self.resource_version == "0" {
            refuse("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
        }
        if let VersionMatch::Unknown(value) = &self.version_match {
            let supported = &[EXACT, NOT_OLDER_THAN, ""];
            errors.push(FieldError::not_supported(
                "resourceVersionMatch",
                value,
                supported,
            ));
        }
        if self.send_initial_events.is_some() {
            errors.push(FieldError::forbidden(
                "sendInitialEvents",
                "sendInitialEvents is forbidden for list",
            ));
        }
        errors
    }

    fn watch_errors(&self, serves_watch_lists: bool) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let is_not_older = self.version_match == VersionMatch::NotOlderThan;
        if self.send_initial_events.is_some() {
            if !is_not_older {
                let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
                errors.push(FieldError::forbidden("resourceVersionMatch", why));
            }
            if !serves_watch_lists {
                let why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
                errors.push(FieldError::forbidden("sendInitialEvents", why));
            }
        }
        if self.version_match == VersionMatch::Unset {
            return errors;
        }
        if self.send_initial_events.is_none() {
            let why =
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            errors.push(FieldError::forbidden("resourceVersionMatch", why));
        }
        if !is_not_older {
            let value = self.version_match.text();
            errors.push(FieldError::not_supported(
                "resourceVersionMatch",
                value,
                &[NOT_OLDER_THAN],
            ));
        }
        if !self.continue_token.is_empty() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(FieldError::forbidden("resourceVersionMatch", why));
        }
        errors
    }

    /// The version as a number; 0 for none.
    pub(crate) fn version(&self) -> Result<u64, String> {
        if self.resource_version.is_empty() {
            return Ok(0);
        }
        let is_digits = self
            .resource_version
            .bytes()
            .all(|letter| letter.is_ascii_digit());
        let parsed = self.resource_version.parse().ok().filter(|_| is_digits);
        parsed.ok_or_else(|| {
            let value = &self.resource_version;
            format!(
                "resourceVersion: Invalid value: {value:?}: strconv.ParseUint: parsing {value:?}: invalid syntax"
            )
        })
    }
}

impl VersionMatch {
    fn text(&self) -> &str {
        match self {
            Self::Unset => "",
            Self::Exact => EXACT,
            Self::NotOlderThan => NOT_OLDER_THAN,
            Self::Unknown(value) => value,
        }
    }
}

impl From<&str> for VersionMatch {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::Unset,
            EXACT => Self::Exact,
            NOT_OLDER_THAN => Self::NotOlderThan,
            other => Self::Unknown(other.to_owned()),
        }
    }
}

/// A Go boolean: present means true, unless it says otherwise.
pub(super) fn flag(value: &str) -> bool {
    !matches!(value.to_ascii_lowercase().as_str(), "false" | "0")
}

fn number(value: &str) -> Result<i64, Status> {
    if value.is_empty() {
        return Ok(0);
    }
    value.parse().map_err(|_| {
        Status::bad_request(format!(
            "strconv.ParseInt: parsing {value:?}: invalid syntax"
        ))
    })
}

fn timeout(seconds: i64) -> Option<Duration> {
    let seconds = u64::try_from(seconds).ok().filter(|&seconds| seconds > 0)?;
    Some(Duration::from_secs(seconds.min(LONGEST_TIMEOUT)))
}

#[cfg(test)]
mod tests {
    use super::ListParams;

    fn causes(query: &str, serves_watch_lists: bool) -> Vec<String> {
        let checked =
            ListParams::parse(query).and_then(|params| params.validate(serves_watch_lists));
        let details = checked
            .err()
            .and_then(|status| status.details)
            .unwrap_or_default();
        details
            .causes
            .iter()
            .map(|cause| cause.field.clone())
            .collect()
    }

    #[test]
    fn parameters_are_checked_against_each_other() {
        for (query, expected) in [
            ("", &[][..]),
            ("resourceVersion=5&resourceVersionMatch=Exact", &[]),
            ("resourceVersionMatch=Exact", &["resourceVersionMatch"]),
            (
                "resourceVersion=0&resourceVersionMatch=Exact",
                &["resourceVersionMatch"],
            ),
            (
                "resourceVersion=5&resourceVersionMatch=Never",
                &["resourceVersionMatch"],
            ),
            (
                "resourceVersion=5&resourceVersionMatch=Exact&continue=x",
                &["resourceVersionMatch"],
            ),
            ("sendInitialEvents=true", &["sendInitialEvents"]),
            (
                "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
                &[],
            ),
            ("watch=1&sendInitialEvents=true", &["resourceVersionMatch"]),
            (
                "watch=1&resourceVersionMatch=NotOlderThan",
                &["resourceVersionMatch"],
            ),
            (
                "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
                &["resourceVersionMatch", "resourceVersionMatch"],
            ),
        ] {
            assert_eq!(causes(query, true), expected, "{query}");
        }
        let streaming = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
        assert_eq!(causes(streaming, false), ["sendInitialEvents"]);
    }

    #[test]
    fn numbers_and_versions() {
        let parsed = ListParams::parse("limit=abc").map_err(|status| status.code);
        assert_eq!(parsed, Err(400));
        for (query, expected) in [
            ("", Some(0)),
            ("resourceVersion=12", Some(12)),
            ("resourceVersion=-1", None),
            ("resourceVersion=x", None),
        ] {
            let version = ListParams::parse(query)
                .ok()
                .and_then(|params| params.version().ok());
            assert_eq!(version, expected, "{query}");
        }
        let negative = ListParams::parse("limit=-3&timeoutSeconds=-1");
        assert_eq!(
            negative.map(|params| (params.limit, params.timeout)),
            Ok((0, None))
        );
    }
}
