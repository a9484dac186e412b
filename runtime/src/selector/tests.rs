use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use super::LabelSelector;

fn labels(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[test]
fn every_requirement_must_hold() {
    let selector: LabelSelector = "a=b,c in (e,d),!f".parse().unwrap();
    assert_eq!(selector.to_string(), "a=b,c in (d,e),!f");
    for (given, expected) in [
        ("a=b,c=d", true),
        ("a=b,c=e,g=h", true),
        ("a=b", false),
        ("c=d", false),
        ("a=b,c=d,f=", false),
    ] {
        assert_eq!(selector.matches(&labels(given)), expected, "{given}");
    }
    assert!(LabelSelector::everything().matches(&labels("a=b")));
    assert_eq!("".parse(), Ok(LabelSelector::everything()));
    assert!(!selector.is_everything() && LabelSelector::default().is_everything());
}

#[test]
fn a_selector_that_the_compiler_checked_is_what_its_text_is() {
    const CONSTANT: LabelSelector =
        crate::labels!(r"a in (c, b, ), x.y/z notin (d,e), f>3, g<4, h, !i, j!=k, l==m");
    assert_eq!(
        CONSTANT.to_string(),
        "a in (,b,c),x.y/z notin (d,e),f>3,g<4,h,!i,j!=k,l=m"
    );
    assert_eq!(CONSTANT.to_string().parse(), Ok(CONSTANT));
    assert!(crate::labels!("").is_everything());
    assert_eq!(
        crate::labels!(
            "a=b,\
             c"
        ),
        "a=b,c".parse().unwrap(),
    );
    macro_rules! of_app {
        ($selector:literal) => {
            crate::labels!($selector)
        };
    }
    assert!(of_app!("app=web").matches(&labels("app=web")));
}

#[test]
fn an_error_says_where_and_why() {
    let refused = |text: &str| text.parse::<LabelSelector>().unwrap_err();
    assert_eq!(
        refused("app=web,tier is x").to_string(),
        "label selector \"app=web,tier is x\": at character 14: \"is\" after \"tier\" is no operator: use =, ==, !=, in, notin, \
         < or >"
    );
    let error = refused("a in (b),é");
    assert_eq!(error.position(), Some(9));
    assert!(
        error
            .to_string()
            .contains("at character 10: \"é\" is no label key")
    );
}

#[test]
fn takes_the_selector_of_a_spec() {
    let requirement = |key: &str, operator: &str, values: &[&str]| meta::LabelSelectorRequirement {
        key: key.into(),
        operator: operator.into(),
        values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
    };
    let spec = meta::LabelSelector {
        match_labels: Some(labels("a=b")),
        match_expressions: Some(vec![
            requirement("c", "In", &["d", "e"]),
            requirement("f", "NotIn", &["g"]),
            requirement("h", "Exists", &[]),
            requirement("i", "DoesNotExist", &[]),
        ]),
    };
    let selector = LabelSelector::try_from(&spec).unwrap();
    assert_eq!(selector.to_string(), "a=b,c in (d,e),f!=g,h,!i");
    for (bad, why) in [
        (
            requirement("c", "Inn", &["d"]),
            "label selector \"c\": \"Inn\" is no operator: use In,",
        ),
        (
            requirement("c", "In", &[]),
            "label selector \"c\": \"c\" is compared with no value",
        ),
        (
            requirement("c d", "Exists", &[]),
            "label selector \"c d\": \"c d\" is no label key",
        ),
    ] {
        let spec = meta::LabelSelector {
            match_expressions: Some(vec![bad]),
            ..Default::default()
        };
        let error = LabelSelector::try_from(&spec).unwrap_err();
        assert!(error.to_string().starts_with(why), "{error}");
        assert_eq!(error.position(), None);
    }
    let empty = LabelSelector::try_from(&meta::LabelSelector::default());
    assert!(empty.unwrap().is_everything());
}

#[cfg(feature = "kube")]
#[test]
fn a_selector_of_kube_selects_the_same() {
    use kube::core::{Expression, Selector, SelectorExt as _};

    let (key, value) = (|| "app".to_owned(), || "web".to_owned());
    let values = || ["web".to_owned(), "api".to_owned()].into();
    let expressions = [
        Expression::In(key(), values()),
        Expression::NotIn(key(), values()),
        Expression::Equal(key(), value()),
        Expression::NotEqual(key(), value()),
        Expression::Exists(key()),
        Expression::DoesNotExist(key()),
    ];
    for expression in expressions {
        let theirs = Selector::from_iter([expression, Expression::Exists("tier".into())]);
        let ours = LabelSelector::try_from(&theirs).unwrap();
        for app in [None, Some("web"), Some("api"), Some("other")] {
            for tier in [None, Some("front")] {
                let labels = [("app", app), ("tier", tier)];
                let labels = labels
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())))
                    .collect();
                assert_eq!(
                    ours.matches(&labels),
                    theirs.matches(&labels),
                    "{theirs} of {labels:?}"
                );
            }
        }
    }
    let everything = LabelSelector::try_from(&Selector::default()).unwrap();
    assert!(everything.is_everything());
}
