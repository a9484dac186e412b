//! Options that name a path of a kind: `cert-manager.io/v1/Certificate:spec.privateKey`.

use std::str::FromStr;

/// A path of one kind, or of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WantedPath {
    /// `cert-manager.io/v1/Certificate`, or `*`.
    pub(crate) kind: String,
    /// As for `field!`; the generator checks it.
    pub(crate) path: String,
}

impl FromStr for WantedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((kind, path)) if !kind.is_empty() && !path.is_empty() => Ok(Self {
                kind: kind.to_owned(),
                path: path.to_owned(),
            }),
            _ => Err(
                "write kind and path, as `cert-manager.io/v1/Certificate:spec.privateKey` or `*:spec.affinity`"
                    .to_owned(),
            ),
        }
    }
}

/// A path with the type that is to stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedPath {
    pub(crate) at: WantedPath,
    /// A type of Rust; the generator checks it.
    pub(crate) of_type: String,
}

impl FromStr for TypedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((at, of_type)) = split_at_type(text).filter(|(_, of_type)| !of_type.is_empty())
        else {
            return Err(
                "write kind, path and type, as `*:spec.template=crate::Template`".to_owned(),
            );
        };
        Ok(Self {
            at: at.parse()?,
            of_type: of_type.to_owned(),
        })
    }
}

/// The name of a property may have the sign in it, in quotes then.
fn split_at_type(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let sign = text.find(|c| {
        quoted ^= c == '"';
        c == '=' && !quoted
    })?;
    Some((text.get(..sign)?, text.get(sign + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_path_and_type_are_taken_apart() {
        let path: WantedPath = "example.com/v1/Gauge:spec.a[].b".parse().unwrap();
        assert_eq!(
            (&*path.kind, &*path.path),
            ("example.com/v1/Gauge", "spec.a[].b")
        );
        let typed: TypedPath = r#"*:**."a=b:c"=::k8s_openapi::Pod"#.parse().unwrap();
        assert_eq!((&*typed.at.kind, &*typed.at.path), ("*", r#"**."a=b:c""#));
        assert_eq!(typed.of_type, "::k8s_openapi::Pod");
        for wrong in ["", "spec", ":spec", "*:", "*"] {
            let error = wrong.parse::<WantedPath>().unwrap_err();
            assert!(error.contains("write kind and path"), "{wrong:?}");
        }
        for wrong in ["", "*:spec", "*:spec=", "spec=T", r#"*:"a=b""#] {
            assert!(wrong.parse::<TypedPath>().is_err(), "{wrong:?}");
        }
    }
}
