//! The types of Kubernetes.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Node, Pod, Secret};
use k8s_openapi::api::events::v1::Event as EventsEvent;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Status, WatchEvent};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde::de::DeserializeOwned;

use super::random::{damage, seeded};
use super::*;

const DEPLOYMENT: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"prod","generation":3,"creationTimestamp":"2025-03-04T10:21:01Z","annotations":{"note":"a \"quoted\" \u00e9 \ud83d\ude00"}},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"tier","operator":"In","values":["a","b"]}]},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx","resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":"http"}},"readinessProbe":{"tcpSocket":{"port":8080}}}]}}},"status":{"observedGeneration":3,"conditions":[{"type":"Available","status":"True","lastTransitionTime":"2025-03-04T10:21:09Z"}]}}"#;
const SECRET: &str = r#"{"metadata":{"name":"s"},"type":"Opaque","data":{"token":"aHVudGVyMg==","empty":"","none":null},"immutable":true}"#;
const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","names":{"kind":"Foo","plural":"foos","shortNames":["fo"]},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","default":{"a":[1,2.5,null]},"properties":{"n":{"type":"number","minimum":0.5,"enum":[1,"x",null,true,{"a":[]}]},"list":{"type":"array","items":{"type":"string"}},"any":{"x-kubernetes-preserve-unknown-fields":true,"additionalProperties":false},"more":{"additionalProperties":{"type":"string"},"required":["a"],"x-kubernetes-validations":[{"rule":"self > 0"}]}}}}}},"additionalPrinterColumns":[{"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}]}]},"status":{"conditions":null,"storedVersions":["v1"]}}"#;
const EVENT: &str = r#"{"metadata":{"name":"e.1","namespace":"prod"},"involvedObject":{"kind":"Pod","name":"p"},"reason":"Failed","message":"line\n\tquoted \"x\"","firstTimestamp":"2025-03-04T10:21:01Z","eventTime":"2025-03-04T10:21:01.123456Z","lastTimestamp":null,"count":7,"type":"Warning","source":{}}"#;
const EVENTS_EVENT: &str = r#"{"metadata":{"name":"e.1"},"eventTime":"2025-03-04T10:21:01.000001Z","series":{"count":2,"lastObservedTime":"2025-03-04T10:21:02.500000Z"},"regarding":{"fieldPath":"spec.containers{web}"}}"#;
const CONFIG_MAP: &str = r#"{ "metadata" : { "name" : "c" } , "data" : { "a.yaml" : "x: 1\n" } , "binaryData" : { "b" : "AAEC" } }"#;
const NODE: &str = r#"{"metadata":{"name":"n"},"spec":{"podCIDRs":["10.0.0.0/24"],"taints":[{"key":"k","effect":"NoSchedule","timeAdded":"2025-03-04T10:21:01Z"}]},"status":{"capacity":{"cpu":"8","memory":"32Gi"},"images":[{"names":["a","b"],"sizeBytes":123456789012}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}}}}"#;
const STATUS: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","details":{"causes":[{"reason":"x"}],"retryAfterSeconds":1},"code":410}"#;

fn same<T: DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str) {
    let theirs: T = serde_json::from_str(text).unwrap();
    assert_eq!(decode_bytes::<T>(text.as_bytes()).unwrap(), theirs);
    let pretty = serde_json::from_str::<serde_json::Value>(text).unwrap();
    let pretty = serde_json::to_vec_pretty(&pretty).unwrap();
    assert_eq!(decode_bytes::<T>(&pretty).unwrap(), theirs);
    let mut rng = seeded();
    for _ in 0..300 {
        let mut bytes = text.as_bytes().to_vec();
        damage(&mut rng, &mut bytes);
        if std::str::from_utf8(&bytes).is_err() {
            continue;
        }
        let ours = decode_bytes::<T>(&bytes).ok();
        let theirs = serde_json::from_slice::<T>(&bytes).ok();
        assert_eq!(ours, theirs, "{}", bytes.escape_ascii());
    }
}

#[test]
fn kinds_decode_as_with_serde_json_whole_and_damaged() {
    same::<Pod>(POD);
    same::<Deployment>(DEPLOYMENT);
    same::<Secret>(SECRET);
    same::<CustomResourceDefinition>(CRD);
    same::<Event>(EVENT);
    same::<EventsEvent>(EVENTS_EVENT);
    same::<ConfigMap>(CONFIG_MAP);
    same::<Node>(NODE);
    same::<Status>(STATUS);
    same::<RawExtension>(CRD);
    same::<serde_json::Value>(CRD);
}

#[test]
fn types_that_choose_by_content_decode() {
    let added = format!(r#"{{"object":{POD},"type":"ADDED"}}"#);
    let WatchEvent::Added(pod) = decode_bytes::<WatchEvent<Pod>>(added.as_bytes()).unwrap() else {
        panic!("another event");
    };
    assert_eq!(pod, serde_json::from_str(POD).unwrap());
}

#[test]
fn arrays_are_allocated_at_their_exact_length() {
    // Arrays in fields that the type does not have come first, so that a lost step would show.
    let body = POD.replacen('{', r#"{"unknown":[[1,[]],{"a":[2,"]",[3,4]]}],"x":[],"#, 1);
    let raw = RawBuffer::new(body).unwrap();
    for pod in [
        raw.raw().decode::<Pod>().unwrap(),
        decode_bytes(raw.raw().bytes()).unwrap(),
    ] {
        fn exact<T>(items: &[T], capacity: usize, length: usize) {
            assert_eq!((items.len(), capacity), (length, length));
        }
        let spec = pod.spec.as_ref().unwrap();
        exact(&spec.containers, spec.containers.capacity(), 2);
        let volumes = spec.volumes.as_ref().unwrap();
        exact(volumes, volumes.capacity(), 2);
        let sources = volumes[1]
            .projected
            .as_ref()
            .unwrap()
            .sources
            .as_ref()
            .unwrap();
        exact(sources, sources.capacity(), 3);
        for container in &spec.containers {
            let env = container.env.as_ref().unwrap();
            exact(env, env.capacity(), 3);
            let args = container.args.as_ref().unwrap();
            exact(args, args.capacity(), 2);
        }
        let conditions = pod.status.as_ref().unwrap().conditions.as_ref().unwrap();
        exact(conditions, conditions.capacity(), 5);
        let name = pod.metadata.name.as_ref().unwrap();
        assert_eq!(name.len(), name.capacity());
        let escaped = &pod.metadata.annotations.as_ref().unwrap()["sidecar/status"];
        assert_eq!(
            escaped.len(),
            escaped.capacity(),
            "strings with escapes are exact, too"
        );
    }
}

#[test]
fn lengths_are_exact_in_every_shape_of_array() {
    use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

    /// Any value, checking what each array says before its first element and at its end.
    struct Checked;
    impl<'de> Deserialize<'de> for Checked {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Checked)
        }
    }
    impl<'de> Visitor<'de> for Checked {
        type Value = Self;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("anything")
        }
        fn visit_unit<E>(self) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self, E> {
            Ok(self)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
            let promised = seq.size_hint().unwrap();
            let mut found = 0;
            while seq.next_element::<Self>()?.is_some() {
                found += 1;
                assert_eq!(seq.size_hint(), Some(promised - found));
            }
            assert_eq!(found, promised);
            Ok(self)
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
            let mut skip = false;
            while map.next_key::<Self>()?.is_some() {
                if skip {
                    map.next_value::<serde::de::IgnoredAny>()?;
                } else {
                    map.next_value::<Self>()?;
                }
                skip = !skip;
            }
            Ok(self)
        }
    }

    let mut rng = seeded();
    for _ in 0..3_000 {
        let text = super::random::json(&mut rng, 6);
        decode_bytes::<Checked>(text.as_bytes()).unwrap();
    }
}
