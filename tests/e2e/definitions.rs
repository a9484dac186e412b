//! Custom resource definitions that come and go.

use larder::Kind;
use serde_json::json;

use crate::cluster::{Cluster, Server};

const CRD: (&str, &str) = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");

impl Cluster {
    /// Installs the CRD of widgets, and waits until they are served.
    pub(crate) async fn install_widgets(&self) {
        match &self.server {
            Server::Simulated { sim, .. } => {
                let widgets = larder_sim::Kind::new("example.com", "v1", "Widget", "widgets");
                sim.add_kind(widgets.custom().short_names(["wd"]));
            }
            Server::Real(_) => {
                let crd = json!({
                    "metadata": {"name": "widgets.example.com"},
                    "spec": {
                        "group": "example.com",
                        "scope": "Namespaced",
                        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "shortNames": ["wd"]},
                        "versions": [{
                            "name": "v1", "served": true, "storage": true,
                            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                        }],
                    },
                });
                self.create(CRD.0, CRD.1, None, crd).await;
                self.until_served("example.com/v1", "Widget", true).await;
            }
        }
    }

    /// Installs the CRD of shirts, whose color (a text), pockets (a number) and iron (a boolean) the server selects by, and
    /// waits until they are served.
    pub(crate) async fn install_shirts(&self, plural: &str, kind: &str, namespaced: bool) {
        let fields = ["color", "pockets", "iron"].map(|field| format!(".spec.{field}"));
        match &self.server {
            Server::Simulated { sim, .. } => {
                let shirts = larder_sim::Kind::new("example.com", "v1", kind, plural).custom();
                let shirts = if namespaced {
                    shirts
                } else {
                    shirts.cluster_scoped()
                };
                sim.add_kind(
                    fields
                        .into_iter()
                        .fold(shirts, larder_sim::Kind::selectable),
                );
            }
            Server::Real(_) => {
                let properties = json!({"color": {"type": "string"}, "pockets": {"type": "integer"}, "iron": {"type": "boolean"}});
                let crd = json!({
                    "metadata": {"name": format!("{plural}.example.com")},
                    "spec": {
                        "group": "example.com",
                        "scope": if namespaced { "Namespaced" } else { "Cluster" },
                        "names": {"kind": kind, "plural": plural},
                        "versions": [{
                            "name": "v1", "served": true, "storage": true,
                            "schema": {"openAPIV3Schema": {
                                "type": "object",
                                "properties": {"spec": {"type": "object", "properties": properties}},
                            }},
                            "selectableFields": fields.map(|path| json!({ "jsonPath": path })),
                        }],
                    },
                });
                self.create(CRD.0, CRD.1, None, crd).await;
            }
        }
        self.until_served("example.com/v1", kind, true).await;
    }

    /// Installs the definition that the types of `gadgets.rs` are generated from, and waits until it is served.
    pub(crate) async fn install_gadgets(&self) {
        match &self.server {
            Server::Simulated { sim, .. } => {
                let gadgets =
                    larder_sim::Kind::new("shop.example.com", "v1", "Gadget", "gadgets").custom();
                sim.add_kind(gadgets.selectable(".spec.color"));
            }
            Server::Real(_) => {
                let yaml = include_str!("../../codegen/tests/crds/gadgets.yaml");
                self.apply_definition("gadgets.shop.example.com", yaml.to_owned())
                    .await;
            }
        }
        self.until_served("shop.example.com/v1", "Gadget", true)
            .await;
    }

    /// `kubectl apply --server-side` of a definition in YAML; on the real server alone.
    pub(crate) async fn apply_definition(&self, name: &str, yaml: String) {
        let path = format!(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}?fieldManager=test"
        );
        let request = http::Request::patch(path)
            .header("content-type", "application/apply-patch+yaml")
            .body(yaml.into_bytes())
            .expect("a request");
        let applied = self.direct.request_text(request).await;
        applied.unwrap_or_else(|error| panic!("the definition {name}: {error}"));
    }

    /// Deletes the definition of a kind, and waits until it is not served any more.
    pub(crate) async fn uninstall(&self, kind: &Kind) {
        let plural = kind.plural();
        match &self.server {
            Server::Simulated { sim, .. } => {
                // As the server does it: the objects first.
                for object in sim.list(plural).expect("they are served") {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
                    sim.delete(plural, namespace, name).expect("it is there");
                }
                assert!(sim.remove_kind(kind.group(), kind.version(), plural));
            }
            Server::Real(_) => {
                let name = format!("{plural}.{}", kind.group());
                self.delete(CRD.0, CRD.1, None, &name).await;
                self.until_served(&kind.api_version(), kind.kind(), false)
                    .await;
            }
        }
    }
}
