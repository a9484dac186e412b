//! Indexes over each representation.

use larder::{Informer, computed};
use serde_json::json;

use crate::representation::{Pods, keys, modes, on_each};
use crate::support::{cluster, labelled, until};

on_each! {
    c024_c026_c027_c131_by_label_alone_and_both_anded,
    c024_c026_label_selectors_through_the_labels_index,
}

/// By the value of a label.
fn by_label<R: Pods>(pods: &Informer<R>, label: &'static str) -> larder::Index<R, String> {
    let index = computed(move |shown: &R::Shown| {
        let labels = R::metadata(shown).labels.as_ref()?;
        labels.get(label).cloned()
    });
    pods.add_index(index).unwrap()
}

async fn c024_c026_c027_c131_by_label_alone_and_both_anded<R: Pods>() {
    for mode in modes() {
        let text = &mode.name;
        let labels = |app: &str, tier: &str| json!({"app": app, "tier": tier});
        let sim = cluster([
            labelled("a", "p0", &labels("web", "front")),
            labelled("a", "p1", &labels("web", "back")),
            labelled("b", "p2", &labels("web", "front")),
            labelled("b", "p3", &labels("db", "back")),
            labelled("c", "p4", &json!({})),
        ]);
        let cache = mode.builder(&sim).build();
        let pods = R::of(&cache);
        let by_app = by_label(&pods, "app");
        cache.start().unwrap();
        let by_tier = by_label(&pods, "tier");
        pods.wait_for_sync(crate::support::SOON).await.unwrap();
        let late = by_label(&pods, "tier");

        let web = ["a/p0", "a/p1", "b/p2"];
        assert_eq!(
            keys::<R>(by_app.get("web").unwrap()),
            mode.within(web),
            "{text}"
        );
        for by_tier in [&by_tier, &late] {
            let front = by_tier.get("front").unwrap();
            assert_eq!(keys::<R>(front), mode.within(["a/p0", "b/p2"]), "{text}");
            let both = by_app.get("web").unwrap().and(by_tier, "back").unwrap();
            assert_eq!(keys::<R>(both), ["a/p1"], "{text}");
            let both = by_tier.get("back").unwrap().and(&by_app, "web").unwrap();
            assert_eq!(keys::<R>(both), ["a/p1"], "{text}");
        }
        assert_eq!(by_app.get("none").unwrap().count(), 0, "{text}");
        let values: Vec<_> = by_tier.values().unwrap();
        let fronts = mode.within(["a/p0", "b/p2"]).len();
        assert_eq!(values.last(), Some(&("front".to_owned(), fronts)), "{text}");

        let patch = json!({"metadata": {"labels": {"tier": "front", "app": null}}});
        sim.patch("pods", "a", "p1", &patch).unwrap();
        until("the index follows", || {
            keys::<R>(by_tier.get("front").unwrap()) == mode.within(["a/p0", "a/p1", "b/p2"])
        })
        .await;
        assert_eq!(
            keys::<R>(by_app.get("web").unwrap()),
            mode.within(["a/p0", "b/p2"]),
            "{text}"
        );
        let both = by_tier.get("front").unwrap().and(&by_app, "web").unwrap();
        assert_eq!(keys::<R>(both), mode.within(["a/p0", "b/p2"]), "{text}");
    }
}

/// Whatever leads, the answer is what a look at each object's labels gives; and the index follows.
async fn c024_c026_label_selectors_through_the_labels_index<R: Pods>() {
    let selectors = [
        "app=web",
        "app==db,tier=back",
        "app=none",
        "app in (web, db)",
        "app in (db, none),tier in (front, back)",
        "app",
        "tier,app!=web",
        "weight>5",
        "weight<100,app=web",
        "!app",
        "app!=web",
        "app notin (web, db),!weight",
        "",
    ];
    for mode in modes() {
        let labels = |app: &str, tier: &str| json!({"app": app, "tier": tier});
        let sim = cluster([
            labelled("a", "p0", &labels("web", "front")),
            labelled("a", "p1", &json!({"app": "web", "weight": "10"})),
            labelled(
                "b",
                "p2",
                &json!({"app": "db", "tier": "back", "weight": "3"}),
            ),
            labelled("b", "p3", &json!({"weight": "heavy", "tier": ""})),
            labelled("c", "p4", &json!({})),
        ]);
        let (_cache, pods) = mode.synced::<R>(&sim).await;
        let patch = json!({"metadata": {"labels": {"tier": "back", "app": null}}});
        for change in [None, Some(&patch)] {
            if let Some(patch) = change {
                sim.patch("pods", "a", "p0", patch).unwrap();
                sim.delete_now("pods", "b", "p2").unwrap();
                sim.create(labelled("a", "p5", &labels("db", "front")))
                    .unwrap();
                crate::support::settle().await;
            }
            for text in selectors {
                let selector: larder::LabelSelector = text.parse().unwrap();
                let all = pods.store().snapshot().list();
                let selected =
                    all.filter(|pod| selector.matches(&larder::labels_of(R::metadata(pod))));
                assert_eq!(
                    keys::<R>(pods.indexer().by_labels(&selector).unwrap()),
                    keys::<R>(selected),
                    "{text:?}, {}",
                    mode.name
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn c024_an_index_of_another_informer_is_refused() {
    use larder::{Cache, Dynamic, InformerOptions, ReadError};
    let sim = cluster([labelled("a", "p0", &json!({"app": "web"}))]);
    let cache = Cache::builder(crate::support::client(&sim)).build();
    let pods = Dynamic::of(&cache);
    let others = Dynamic::with(&cache, InformerOptions::new().name("others"));
    cache.start().unwrap();
    cache
        .wait_for_cache_sync(crate::support::SOON)
        .await
        .unwrap();
    let list = || pods.lister().list().unwrap();
    let (old, index, foreign) = (list(), by_label(&pods, "app"), by_label(&others, "app"));
    let error = list().and(&foreign, "web").map(drop).unwrap_err();
    assert!(matches!(error, ReadError::UnknownIndex { .. }), "{error}");
    assert!(error.to_string().contains("pods"), "{error}");
    let old = old.and(&index, "web").unwrap();
    assert_eq!(old.count(), 1, "a list that is older than the index");
    assert_eq!(list().and(&index, "web").unwrap().count(), 1);
    assert_eq!(
        list().and(&index, "none").unwrap().size_hint(),
        (0, Some(0))
    );
    assert_eq!(list().and(&index, "web").unwrap().size_hint(), (0, Some(1)));
}
