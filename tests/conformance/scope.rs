//! c030 to c042: which objects a cache holds.

use std::collections::BTreeSet;

use larder::core::v1::NodeInformer;
use larder::{CacheError, ReadError};
use serde_json::json;

use crate::matrix::{Mode, Scope, cases};
use crate::pods::{Own, keys};
use crate::support::{SOON, cluster, labelled, node, pod, until};

cases! {
    c030_c031_a_namespace_limit_binds_namespaced_kinds_alone in LIMITED,
    c032_an_object_that_leaves_the_selection_is_deleted in EVERY,
    c033_c034_c036_selectors_by_default_and_of_ones_own in EVERY,
    c042_informers_of_one_kind_live_side_by_side_under_their_names in EVERY,
}

async fn c030_c031_a_namespace_limit_binds_namespaced_kinds_alone(mode: &Mode) {
    let sim = cluster([pod("a", "one"), pod("c", "one"), node("n", &json!({}))]);
    let by_default = mode.synced(&sim).await;
    let unlimited = mode
        .synced_with(
            &sim,
            larder::Cache::builder(crate::support::client(&sim)).reflector(mode.reflector.clone()),
        )
        .await;
    let own = Own {
        name: Some("limited"),
        namespaces: mode.scope.namespaces().map(Into::into),
        ..Own::default()
    };
    let of_the_kind = mode.further(&unlimited, own).await;
    for subject in [&by_default, &of_the_kind] {
        for _ in 0..3 {
            let listed = subject.pods.list().unwrap();
            assert_eq!(
                keys(&listed),
                ["a/one".to_owned()].into(),
                "lists do not add up"
            );
        }
    }
    sim.clear_requests();
    let in_a_namespace = "a/n".parse().unwrap();
    let node = by_default.cache.get::<NodeInformer>(&in_a_namespace).await;
    let node = node.unwrap();
    assert_eq!(
        node.metadata.name.as_deref(),
        Some("n"),
        "the namespace is ignored"
    );
    assert!(
        sim.requests()
            .iter()
            .all(|request| request.namespace.is_empty())
    );
}

async fn c032_an_object_that_leaves_the_selection_is_deleted(mode: &Mode) {
    let sim = cluster([
        node("n", &json!({"pool": "a"})),
        node("other", &json!({"pool": "b"})),
        labelled("a", "one", &json!({"pool": "a"})),
    ]);
    let builder = mode.builder(&sim).label_selector("pool=a");
    let subject = mode.synced_with(&sim, builder).await;
    let cache = &subject.cache;
    let nodes = cache.synced_informer::<NodeInformer>().await.unwrap();
    assert_eq!(nodes.store().len(), 1);
    let leave = json!({"metadata": {"labels": {"pool": "b"}}});
    sim.patch("nodes", "", "n", &leave).unwrap();
    sim.patch("pods", "a", "one", &leave).unwrap();
    until("they leave", || {
        nodes.store().is_empty() && subject.pods.list().unwrap().is_empty()
    })
    .await;
    let error = cache.get::<NodeInformer>(&"n".parse().unwrap()).await;
    let not_found = matches!(error, Err(CacheError::Read(ReadError::NotFound { .. })));
    assert!(not_found);
}

async fn c033_c034_c036_selectors_by_default_and_of_ones_own(mode: &Mode) {
    let sim = cluster([
        labelled("a", "red-big", &json!({"color": "red", "size": "big"})),
        labelled("a", "red-small", &json!({"color": "red"})),
        labelled("b", "blue", &json!({"color": "blue"})),
    ]);
    type Row = (
        Option<&'static str>,
        Option<&'static str>,
        &'static [&'static str],
    );
    let rows: [Row; 8] = [
        (None, None, &["a/red-big", "a/red-small", "b/blue"]),
        (Some("color=red"), None, &["a/red-big", "a/red-small"]),
        (Some("color=red,size=big"), None, &["a/red-big"]),
        (None, Some("metadata.name=blue"), &["b/blue"]),
        (
            None,
            Some("metadata.namespace=a,metadata.name=red-small"),
            &["a/red-small"],
        ),
        (
            Some("color=red"),
            Some("metadata.name=red-small"),
            &["a/red-small"],
        ),
        (Some("color=green"), None, &[]),
        (Some("color=blue"), Some("metadata.name=red-big"), &[]),
    ];
    for (labels, fields, expected) in rows {
        let in_scope = expected.iter().filter(|key| mode.scope.watches(&key[..1]));
        let expected: BTreeSet<String> = in_scope.map(|key| (*key).to_owned()).collect();
        let mut builder = mode.builder(&sim);
        if let Some(labels) = labels {
            builder = builder.label_selector(labels);
        }
        if let Some(fields) = fields {
            builder = builder.field_selector(fields);
        }
        let by_default = mode.synced_with(&sim, builder).await;
        let listed = by_default.pods.list().unwrap();
        assert_eq!(keys(&listed), expected, "by default: {labels:?} {fields:?}");
        by_default.end().await;

        // A selector of one's own beats the default one, "everything" included.
        let defaults = mode
            .builder(&sim)
            .label_selector("color=nothing")
            .field_selector("metadata.name=nothing");
        let subject = mode.synced_with(&sim, defaults).await;
        assert_eq!(subject.pods.list().unwrap().len(), 0);
        let own = Own {
            labels: labels.or(Some("")),
            fields: fields.or(Some("")),
            ..Own::named("own")
        };
        let own = mode.further(&subject, own).await;
        let listed = own.pods.list().unwrap();
        assert_eq!(keys(&listed), expected, "of its own: {labels:?} {fields:?}");
        subject.cache.shutdown(SOON).await.unwrap();
    }
}

async fn c042_informers_of_one_kind_live_side_by_side_under_their_names(mode: &Mode) {
    let sim = cluster([
        labelled("a", "one", &json!({"app": "x"})),
        pod("a", "two"),
        pod("c", "one"),
    ]);
    let subject = mode.synced(&sim).await;
    let only_x = || Own {
        labels: Some("app=x"),
        ..Own::default()
    };
    let taken = mode.form.informer(&subject.cache, Some(only_x()));
    let taken = taken.err().expect("its options would be ignored");
    assert!(
        matches!(taken, CacheError::AlreadyExists { .. }),
        "{taken:?}"
    );
    let named = |name| Own {
        name: Some(name),
        ..only_x()
    };
    let some = mode.further(&subject, named("x")).await;
    assert!(
        mode.form
            .informer(&subject.cache, Some(named("x")))
            .is_err()
    );
    let everywhere = Own {
        everywhere: true,
        ..Own::named("everywhere")
    };
    let everywhere = mode.further(&subject, everywhere).await;
    let count = |of: &crate::pods::Subject| of.pods.list().unwrap().len();
    let all = if mode.scope == Scope::All { 3 } else { 2 };
    assert_eq!(
        (count(&subject), count(&some), count(&everywhere)),
        (all, 1, 3)
    );
    assert!(subject.pods.name().starts_with("pods"));
    assert_eq!(some.pods.name(), "x");

    sim.create(labelled("a", "three", &json!({"app": "x"})))
        .unwrap();
    sim.delete_now("pods", "a", "two").unwrap();
    until("each follows", || {
        (count(&subject), count(&some), count(&everywhere)) == (all, 2, 3)
    })
    .await;
}
