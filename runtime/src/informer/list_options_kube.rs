//! [`ListOptions`] out of `kube::api::ListParams`.

use ::kube::api::{ListParams, VersionMatch};

use super::list_options::{ListOptions, ListOptionsError};

/// Selectors and limit are taken; a continue token and a resource version are refused, but for the version that asks for any
/// (`ListParams::match_any`), which is what a cache answers with.
impl TryFrom<&ListParams> for ListOptions {
    type Error = ListOptionsError;

    fn try_from(params: &ListParams) -> Result<Self, ListOptionsError> {
        // Every field by name, so that a new one is not ignored. The deprecated one never had an effect on lists.
        #[allow(deprecated)]
        let ListParams {
            label_selector,
            field_selector,
            timeout: _,
            limit,
            continue_token,
            version_match,
            resource_version,
        } = params;
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        if given(continue_token).is_some() {
            return Err(ListOptionsError::Continue);
        }
        let version = given(resource_version).filter(|version| version != "0");
        if version.is_some() || *version_match == Some(VersionMatch::Exact) {
            let version = resource_version.clone().unwrap_or_default();
            return Err(ListOptionsError::ResourceVersion { version });
        }
        let limit = usize::try_from(limit.unwrap_or(0)).unwrap_or(usize::MAX);
        Self::new()
            .labels(label_selector.as_deref().unwrap_or_default().parse()?)
            .limit(limit)
            .field_selector(field_selector.as_deref().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c012_params_of_kube_are_taken_or_refused() {
        let params = ListParams::default()
            .labels("app=web")
            .fields("metadata.namespace=a")
            .limit(3)
            .match_any();
        let options = ListOptions::try_from(&params).unwrap();
        let expected = ListOptions::new()
            .labels("app=web".parse().unwrap())
            .limit(3);
        assert_eq!(Ok(options), expected.field_selector("metadata.namespace=a"));
        assert_eq!(
            ListOptions::try_from(&ListParams::default()),
            Ok(ListOptions::new())
        );

        let refused = |params: ListParams| ListOptions::try_from(&params).unwrap_err();
        assert_eq!(
            refused(ListParams::default().limit(5).continue_token("t")),
            ListOptionsError::Continue
        );
        for params in [
            ListParams::default().at("7"),
            ListParams::default()
                .at("7")
                .matching(VersionMatch::NotOlderThan),
            ListParams::default().at("7").matching(VersionMatch::Exact),
        ] {
            assert_eq!(
                refused(params),
                ListOptionsError::ResourceVersion {
                    version: "7".into()
                }
            );
        }
        let error = refused(ListParams::default().fields("status.phase=Running"));
        assert!(error.to_string().contains("\"status.phase\""), "{error}");
        let error = refused(ListParams::default().labels("a in"));
        assert!(
            matches!(error, ListOptionsError::LabelSelector(_)),
            "{error:?}"
        );
    }
}
