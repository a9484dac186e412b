//! What the body and the options of a write say.

use super::{accept::SERVED, handle::Target, params::flag, write::Sent};
use crate::{
    kind::Kind,
    status::{FieldError, Status},
    store::{DeleteOptions, Patch, Preconditions, Propagation, is_plain_merge},
};
use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Map, Value};

const JSON: &str = "application/json";
const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCHES: &[&str] = &[
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
];

/// The object that a request to create or replace one carries.
pub(super) fn sent_object(target: &Target, sent: &Sent<'_>) -> Result<Map<String, Value>, Status> {
    let media = media_type(sent.headers);
    if media != JSON {
        return Err(if SERVED.contains(&media) {
            Status::unsupported_media_type(&[
                "application/json (the simulated server reads no other)",
            ])
        } else {
            Status::unsupported_media_type(SERVED)
        });
    }
    match serde_json::from_slice(sent.body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Status::bad_request(
            "the body of the request must be a JSON object",
        )),
        Err(_) if sent.body.is_empty() => Err(Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: \
             unexpected end of JSON input (<empty>)",
            target.kind.kind
        ))),
        Err(error) => Err(no_json("JSON", &error)),
    }
}

fn media_type(headers: &HeaderMap) -> &str {
    let given = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or(JSON);
    given.split(';').next().unwrap_or_default().trim()
}

/// Where the body fails, and nothing of what is in it.
fn no_json(what: &str, error: &serde_json::Error) -> Status {
    Status::bad_request(format!(
        "the body of the request is not {what}: line {}, column {}",
        error.line(),
        error.column()
    ))
}

/// The patch that a request carries.
pub(super) fn patch_in(kind: &Kind, headers: &HeaderMap, body: &Bytes) -> Result<Patch, Status> {
    let invalid = |_| Status::bad_request("invalid JSON patch");
    match media_type(headers) {
        MERGE_PATCH => {
            let patch: Map<String, Value> = serde_json::from_slice(body).map_err(invalid)?;
            Ok(Patch::Merge(Value::Object(patch)))
        }
        JSON_PATCH => {
            let patch = serde_json::from_slice(body);
            Ok(Patch::Json(
                patch.map_err(|error| no_json("a JSON patch", &error))?,
            ))
        }
        STRATEGIC_PATCH if kind.custom => Err(Status::unsupported_media_type(&[
            JSON_PATCH,
            MERGE_PATCH,
            "application/apply-patch+yaml",
        ])),
        STRATEGIC_PATCH => {
            let patch: Map<String, Value> = serde_json::from_slice(body).map_err(invalid)?;
            let patch = Value::Object(patch);
            if is_plain_merge(&patch) {
                Ok(Patch::Merge(patch))
            } else {
                Err(Status::bad_request(
                    "the simulated server merges no lists and knows no directives of strategic merge patches: \
                     send a JSON merge patch or a JSON patch",
                ))
            }
        }
        apply if APPLY_PATCHES.contains(&apply) => Err(Status::unsupported_media_type(&[
            JSON_PATCH,
            MERGE_PATCH,
            STRATEGIC_PATCH,
        ])),
        _ => {
            let message = "415: Unsupported Media Type";
            Err(Status::new(415, "UnsupportedMediaType", message).with_empty_details())
        }
    }
}

/// Whether the query asks for a dry run. `options` is the kind of options that the refusal of another value names.
pub(super) fn is_dry_run(query: &str, options: &str) -> Result<bool, Status> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let asked = pairs.filter(|(name, value)| name == "dryRun" && !value.is_empty());
    let values: Vec<String> = asked.map(|(_, value)| value.into_owned()).collect();
    is_dry(&values, options)
}

fn is_dry(values: &[String], options: &str) -> Result<bool, Status> {
    if let Some(other) = values.iter().find(|value| *value != "All") {
        let error = FieldError::not_supported("dryRun", other, &["All"]);
        return Err(Status::invalid("meta.k8s.io", options, "", &[error]));
    }
    Ok(!values.is_empty())
}

/// `DeleteOptions` as they stand in a body.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SentOptions {
    grace_period_seconds: Option<i64>,
    preconditions: Option<Preconditions>,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    dry_run: Vec<String>,
}

/// What a delete shall do, and whether it is a dry run. Options come in the body, or in the query if there is no body.
pub(super) fn delete_options(query: &str, body: &Bytes) -> Result<(DeleteOptions, bool), Status> {
    let sent = if body.is_empty() {
        options_in_query(query)?
    } else {
        serde_json::from_slice(body).map_err(|error| no_json("DeleteOptions", &error))?
    };
    let propagation = match (&sent.propagation_policy, sent.orphan_dependents) {
        (Some(_), Some(_)) => {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            let error = FieldError::forbidden("propagationPolicy", why);
            return Err(Status::invalid(
                "meta.k8s.io",
                "DeleteOptions",
                "",
                &[error],
            ));
        }
        (Some(policy), None) => Some(Propagation::parse(policy)?),
        (None, Some(true)) => Some(Propagation::Orphan),
        (None, Some(false)) => Some(Propagation::Background),
        (None, None) => None,
    };
    let options = DeleteOptions {
        grace_period_seconds: sent.grace_period_seconds,
        preconditions: sent.preconditions,
        propagation,
    };
    Ok((options, is_dry(&sent.dry_run, "DeleteOptions")?))
}

fn options_in_query(query: &str) -> Result<SentOptions, Status> {
    let mut options = SentOptions::default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "gracePeriodSeconds" => {
                let seconds = value.parse().map_err(|_| {
                    Status::bad_request(format!(
                        "strconv.ParseInt: parsing {value:?}: invalid syntax"
                    ))
                })?;
                options.grace_period_seconds = Some(seconds);
            }
            "propagationPolicy" => options.propagation_policy = Some(value.into_owned()),
            "orphanDependents" => {
                options.orphan_dependents = Some(flag(&value));
            }
            "dryRun" if !value.is_empty() => options.dry_run.push(value.into_owned()),
            _ => {}
        }
    }
    Ok(options)
}
