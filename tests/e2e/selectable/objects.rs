//! Objects with and without values in the fields that the server selects by.

use serde_json::{Value, json};

use crate::cluster::Cluster;

pub(super) const NAMESPACE: &str = "selected";

/// An authority's certificate and a request for one, which these kinds must hold. Nobody has their keys.
const AUTHORITY: &str = include_str!("authority.pem");
const REQUEST: &str = include_str!("request.pem");

/// An object, and the status that a controller would write.
struct Sample {
    api_version: &'static str,
    kind: &'static str,
    namespace: Option<&'static str>,
    object: Value,
    status: Value,
}

/// Makes them, but for those of kinds that the server does not serve.
pub(super) async fn create(cluster: &Cluster) {
    cluster.namespace(NAMESPACE).await;
    // Nobody here empties it, so on the real server it is never gone.
    cluster.namespace("leaving").await;
    cluster.delete("v1", "Namespace", None, "leaving").await;
    let namespaced = pods().into_iter().chain(workloads()).chain(events());
    for sample in namespaced.chain(cluster_scoped()).chain(certificates()) {
        let Sample {
            api_version,
            kind,
            namespace,
            object,
            status,
        } = sample;
        let params = kube::api::ListParams::default().limit(1);
        match cluster.try_list(api_version, kind, &params).await {
            Err(kube::Error::Api(status)) if status.code == 404 => continue,
            listed => drop(listed.unwrap()),
        }
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        cluster.create(api_version, kind, namespace, object).await;
        if !status.is_null() {
            let patch = json!({ "status": status });
            cluster
                .patch_status(api_version, kind, namespace, &name, patch)
                .await;
        }
    }
}

fn namespaced(
    api_version: &'static str,
    kind: &'static str,
    name: &str,
    fields: Value,
    status: Value,
) -> Sample {
    Sample {
        namespace: Some(NAMESPACE),
        ..of_cluster(api_version, kind, name, fields, status)
    }
}

fn of_cluster(
    api_version: &'static str,
    kind: &'static str,
    name: &str,
    mut object: Value,
    status: Value,
) -> Sample {
    object["metadata"] = json!({ "name": name });
    Sample {
        api_version,
        kind,
        namespace: None,
        object,
        status,
    }
}

fn pods() -> Vec<Sample> {
    let pod = |name: &str, fields: Value, status: Value| {
        let mut spec = json!({"containers": [{"name": "main", "image": "image"}]});
        let fields = fields.as_object().unwrap().clone();
        spec.as_object_mut().unwrap().extend(fields);
        namespaced("v1", "Pod", name, json!({ "spec": spec }), status)
    };
    vec![
        pod("bare", json!({}), Value::Null),
        pod(
            "placed",
            json!({"nodeName": "n-1", "hostNetwork": true, "restartPolicy": "Never", "serviceAccountName": "robot"}),
            json!({"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        ),
        pod(
            "waiting",
            json!({"schedulerName": "own", "hostNetwork": false}),
            json!({"phase": "Pending", "nominatedNodeName": "n-1"}),
        ),
    ]
}

fn workloads() -> Vec<Sample> {
    let template = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "image"}]},
    });
    let mut always = template.clone();
    always["spec"]["restartPolicy"] = "Always".into();
    let controller =
        json!({"spec": {"replicas": 2, "selector": {"app": "web"}, "template": always}});
    let set = json!({"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": always}});
    let job = json!({"spec": {"template": template}});
    let service = |spec: Value| json!({"spec": spec});
    let ports = json!([{"port": 80}]);
    vec![
        namespaced(
            "v1",
            "ReplicationController",
            "none",
            controller.clone(),
            Value::Null,
        ),
        namespaced(
            "v1",
            "ReplicationController",
            "two",
            controller,
            json!({"replicas": 2}),
        ),
        namespaced("apps/v1", "ReplicaSet", "set", set.clone(), Value::Null),
        namespaced("apps/v1", "Deployment", "set", set, Value::Null),
        namespaced("batch/v1", "Job", "none", job.clone(), Value::Null),
        namespaced(
            "batch/v1",
            "Job",
            "one",
            job,
            json!({"startTime": "2026-01-01T00:00:00Z", "succeeded": 1}),
        ),
        namespaced(
            "v1",
            "Secret",
            "opaque",
            json!({"data": {"key": "dmFsdWU="}}),
            Value::Null,
        ),
        namespaced(
            "v1",
            "Secret",
            "own",
            json!({"type": "example.com/own"}),
            Value::Null,
        ),
        namespaced(
            "v1",
            "Service",
            "inside",
            service(json!({"ports": ports})),
            Value::Null,
        ),
        namespaced(
            "v1",
            "Service",
            "headless",
            service(json!({"clusterIP": "None", "ports": ports})),
            Value::Null,
        ),
        namespaced(
            "v1",
            "Service",
            "outside",
            service(json!({"type": "ExternalName", "externalName": "example.com"})),
            Value::Null,
        ),
        namespaced("v1", "ConfigMap", "map", json!({}), Value::Null),
    ]
}

/// What one group wrote the other reads, too: some have no reporting component, some no source.
fn events() -> Vec<Sample> {
    let about = |name: &str| {
        json!({
            "kind": "Pod", "namespace": NAMESPACE, "name": name, "uid": "u-1", "apiVersion": "v1", "resourceVersion": "7",
            // What stands between requirements of a selector, and what escapes it.
            "fieldPath": "spec.containers{a,b=c\\d}",
        })
    };
    let old = json!({"involvedObject": about("bare"), "reason": "Pulled", "type": "Normal", "source": {"component": "kubelet"}});
    let reported =
        json!({"involvedObject": {"namespace": NAMESPACE}, "reportingComponent": "kubelet"});
    let both = json!({
        "involvedObject": {"namespace": NAMESPACE, "kind": "Node"}, "type": "Warning",
        "source": {"component": "scheduler"}, "reportingComponent": "example.com/own",
    });
    let new = json!({
        "regarding": about("placed"), "reason": "Killing", "type": "Normal", "action": "Kill",
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/own", "reportingInstance": "own-1",
    });
    vec![
        namespaced("v1", "Event", "old", old, Value::Null),
        namespaced("v1", "Event", "reported", reported, Value::Null),
        namespaced("v1", "Event", "both", both, Value::Null),
        namespaced("events.k8s.io/v1", "Event", "new", new, Value::Null),
    ]
}

fn cluster_scoped() -> Vec<Sample> {
    let slice = |name: &str, pool: &str, mut place: Value| {
        place["driver"] = "gpu.example.com".into();
        place["pool"] = json!({"name": pool, "generation": 1, "resourceSliceCount": 1});
        of_cluster(
            "resource.k8s.io/v1",
            "ResourceSlice",
            name,
            json!({ "spec": place }),
            Value::Null,
        )
    };
    vec![
        of_cluster("v1", "Node", "n-1", json!({}), Value::Null),
        of_cluster(
            "v1",
            "Node",
            "n-2",
            json!({"spec": {"unschedulable": true}}),
            Value::Null,
        ),
        of_cluster(
            "v1",
            "PersistentVolume",
            "disk",
            json!({"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/disk"}}}),
            Value::Null,
        ),
        slice("near", "here", json!({"nodeName": "n-1"})),
        slice("far", "there", json!({"allNodes": true})),
    ]
}

fn certificates() -> Vec<Sample> {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    const CERTIFICATES: &str = "certificates.k8s.io/v1";
    let der: String = REQUEST
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let request = |name: &str, signer: &str| {
        let spec = json!({"request": STANDARD.encode(REQUEST), "signerName": signer, "usages": ["digital signature"]});
        of_cluster(
            CERTIFICATES,
            "CertificateSigningRequest",
            name,
            json!({ "spec": spec }),
            Value::Null,
        )
    };
    let bundle = |name: &str, signer: Option<&str>| {
        let mut spec = json!({ "trustBundle": AUTHORITY });
        if let Some(signer) = signer {
            spec["signerName"] = signer.into();
        }
        of_cluster(
            CERTIFICATES,
            "ClusterTrustBundle",
            name,
            json!({ "spec": spec }),
            Value::Null,
        )
    };
    let of_pod = |pod: &str, node: &str, signer: &str| {
        let spec = json!({
            "signerName": signer, "podName": pod, "podUID": "u-1", "serviceAccountName": "default", "serviceAccountUID": "u-2",
            "nodeName": node, "nodeUID": "u-3", "maxExpirationSeconds": 86400, "stubPKCS10Request": der,
        });
        namespaced(
            CERTIFICATES,
            "PodCertificateRequest",
            pod,
            json!({ "spec": spec }),
            Value::Null,
        )
    };
    vec![
        request("one", "example.com/one"),
        request("two", "example.com/two"),
        bundle("unsigned", None),
        bundle("example.com:one:bundle", Some("example.com/one")),
        of_pod("bare", "n-1", "example.com/one"),
        of_pod("placed", "n-2", "example.com/two"),
    ]
}
