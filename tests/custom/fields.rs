//! `field!` over emitted types: paths in JSON's spelling, ends in texts, numbers, times and enums.

use larder::{IntOrStringKey, field};
use serde_json::json;

use super::golden::odd_example_com::v1::Quirk;
use super::golden::shop_example_com::v1::Gadget;

#[test]
fn paths_lead_through_emitted_types() {
    let gadget: Gadget = serde_json::from_value(json!({
        "metadata": {"labels": {"app": "shop"}},
        "spec": {
            "color": "ultraviolet", "size": 2, "serialNumber": "s", "parts": [{"name": "a"}, {"name": "b"}],
            "selector": {"matchLabels": {"k": "v"}},
        },
        "status": {"conditions": [
            {"type": "Ready", "status": "True", "reason": "", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"},
        ]},
    }))
    .unwrap();
    assert_eq!(field!(Gadget, spec.color).keys(&gadget), ["ultraviolet"]);
    assert_eq!(field!(Gadget, spec.size).keys(&gadget), [2]);
    assert_eq!(field!(Gadget, spec.replicas).keys(&gadget), [1]);
    assert_eq!(field!(Gadget, spec.serialNumber).keys(&gadget), ["s"]);
    assert_eq!(field!(Gadget, spec.parts[].name).keys(&gadget), ["a", "b"]);
    assert_eq!(
        field!(Gadget, spec.selector.matchLabels["k"]).keys(&gadget),
        ["v"]
    );
    assert_eq!(
        field!(Gadget, status.conditions[].type).keys(&gadget),
        ["Ready"]
    );
    assert_eq!(
        field!(Gadget, metadata.labels["app"]).keys(&gadget),
        ["shop"]
    );

    let quirk: Quirk = serde_json::from_value(json!({
        "spec": {
            "port": 80, "percent": "5%", "time": "2026-01-02T03:04:05.5Z", "x-name": "x", "mapOfMaps": {"a": {"b": 7}},
            "init_containers": [{"b": "snake"}], "initContainers": [{"a": "camel"}], "podIPs": ["ip"], "type": "t",
        },
    }))
    .unwrap();
    assert_eq!(
        field!(Quirk, spec.port).keys(&quirk),
        [IntOrStringKey::from(80)]
    );
    assert_eq!(
        field!(Quirk, spec.percent).keys(&quirk),
        [IntOrStringKey::from("5%")]
    );
    let times = field!(Quirk, spec.time).keys(&quirk);
    assert_eq!(times[0].to_string(), "2026-01-02T03:04:05.5Z");
    assert_eq!(field!(Quirk, spec."x-name").keys(&quirk), ["x"]);
    assert_eq!(field!(Quirk, spec.type).keys(&quirk), ["t"]);
    assert_eq!(field!(Quirk, spec.podIPs[]).keys(&quirk), ["ip"]);
    assert_eq!(field!(Quirk, spec.mapOfMaps[][]).keys(&quirk), [7]);
    // Of the two that the rule for names gives one field neither has it; each is named.
    let camel = field!(Quirk, spec.initContainers as init_upper_containers[].a);
    let snake = field!(Quirk, spec.init_containers as init_underscore_containers[].b);
    assert_eq!(
        (camel.path(), snake.path()),
        ("spec.initContainers[].a", "spec.init_containers[].b")
    );
    assert_eq!(
        (camel.keys(&quirk), snake.keys(&quirk)),
        (vec!["camel".to_owned()], vec!["snake".to_owned()])
    );
}
