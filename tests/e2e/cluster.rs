//! One cluster to test on: the simulator or the real server, reached directly by the test and over a relay by the cache.

use std::net::SocketAddr;
use std::time::Duration;

use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use larder_real::RealServer;
use larder_sim::{Fault, FaultId, Listening, Sim, Verb};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::relay::Relay;

/// A machine under load may take its time.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

pub(crate) struct Cluster {
    /// The test's own way in: everything is allowed, nothing is cut.
    pub(crate) direct: kube::Client,
    /// The cache's way in: the restricted user, over the relay.
    pub(crate) relayed: kube::Client,
    pub(crate) relay: Relay,
    pub(crate) server: Server,
}

pub(crate) enum Server {
    Simulated {
        sim: Sim,
        _listening: Listening,
        forbidden: Mutex<Vec<FaultId>>,
    },
    Real(Box<RealServer>),
}

impl Cluster {
    pub(crate) async fn simulated() -> Self {
        let sim = Sim::new();
        let listening = sim.listen().await.expect("a free loopback port");
        let relay = Relay::to(listening.address()).await;
        let client = |address: SocketAddr| {
            let url = format!("http://{address}")
                .parse()
                .expect("an address makes a URL");
            larder::client_from_config(kube::Config::new(url))
                .expect("a plain configuration makes a client")
        };
        Self {
            direct: client(listening.address()),
            relayed: client(relay.address),
            relay,
            server: Server::Simulated {
                sim,
                _listening: listening,
                forbidden: Mutex::default(),
            },
        }
    }

    /// With further flags for kube-apiserver. `None`, having said so, where the real server is not to be had.
    pub(crate) async fn real(flags: &[&str]) -> Option<Self> {
        let server = RealServer::start_with(flags).await;
        let server = server.expect("the real server starts")?;
        let direct = server
            .client()
            .await
            .expect("the admin's kubeconfig makes a client");
        let mut config = config(&server).await;
        let target = format!(
            "{}:{}",
            config.cluster_url.host().expect("a host"),
            config.cluster_url.port_u16().expect("a port")
        );
        let relay = Relay::to(target.parse().expect("a loopback address")).await;
        config.cluster_url = format!("https://{}", relay.address)
            .parse()
            .expect("an address makes a URL");
        let relayed =
            larder::client_from_config(config).expect("the tester's kubeconfig makes a client");
        let cluster = Self {
            direct,
            relayed,
            relay,
            server: Server::Real(Box::new(server)),
        };
        cluster.allow().await;
        Some(cluster)
    }

    pub(crate) async fn end(self) {
        if let Server::Real(server) = self.server {
            server
                .shutdown()
                .await
                .expect("the real server ends in time");
        }
    }

    /// Makes everything before now unavailable to watches: compacts, and restarts what would answer from memory.
    pub(crate) async fn compact_and_restart(&self) {
        match &self.server {
            Server::Simulated { sim, .. } => {
                sim.compact();
                sim.disconnect();
            }
            Server::Real(server) => {
                server.compact().await.expect("compaction");
                server.restart().await.expect("restart");
            }
        }
    }

    /// Lets the cache's user read everything.
    pub(crate) async fn allow(&self) {
        match &self.server {
            Server::Simulated { sim, forbidden, .. } => {
                for fault in forbidden.lock().await.drain(..) {
                    sim.faults().remove(fault);
                }
            }
            Server::Real(_) => {
                self.apply("rbac.authorization.k8s.io/v1", "ClusterRole", json!({
                    "metadata": {"name": "larder-reader"},
                    "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
                }))
                .await;
                self.apply("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", json!({
                    "metadata": {"name": "larder-reader"},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "larder-reader"},
                    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tester"}],
                }))
                .await;
            }
        }
    }

    /// Takes the cache's rights away. A watch that is open goes on, as on any cluster.
    pub(crate) async fn forbid(&self) {
        match &self.server {
            Server::Simulated { sim, forbidden, .. } => {
                // The simulator does not tell users apart: meanwhile the test itself lists nothing.
                let fault = |verb| {
                    sim.faults()
                        .add(Fault::forbidden().resource("pods").on(verb))
                };
                *forbidden.lock().await = [Verb::List, Verb::Watch].map(fault).into();
            }
            Server::Real(_) => {
                self.delete(
                    "rbac.authorization.k8s.io/v1",
                    "ClusterRoleBinding",
                    None,
                    "larder-reader",
                )
                .await;
            }
        }
    }

    pub(crate) fn is_real(&self) -> bool {
        matches!(self.server, Server::Real(_))
    }

    pub(crate) async fn until_served(&self, api_version: &str, kind: &str, served: bool) {
        let api = self.api(api_version, kind, None);
        let waiting = async {
            while api.list(&ListParams::default()).await.is_ok() != served {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, waiting).await;
        waited.unwrap_or_else(|_| panic!("waited {LIMIT:?} until {kind} is served: {served}"));
    }

    fn api(&self, api_version: &str, kind: &str, namespace: Option<&str>) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        match namespace {
            Some(namespace) => Api::namespaced_with(self.direct.clone(), namespace, &resource),
            None => Api::all_with(self.direct.clone(), &resource),
        }
    }

    pub(crate) async fn create(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        object: Value,
    ) {
        let object = typed(api_version, kind, object);
        let created = self
            .api(api_version, kind, namespace)
            .create(&PostParams::default(), &object)
            .await;
        created.unwrap_or_else(|error| panic!("creating a {kind}: {error}"));
    }

    async fn apply(&self, api_version: &str, kind: &str, object: Value) {
        let object = typed(api_version, kind, object);
        match self
            .api(api_version, kind, None)
            .create(&PostParams::default(), &object)
            .await
        {
            Err(kube::Error::Api(status)) if status.code == 409 => {}
            created => drop(created.unwrap_or_else(|error| panic!("creating a {kind}: {error}"))),
        }
    }

    pub(crate) async fn patch(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
        patch: Value,
    ) {
        let api = self.api(api_version, kind, namespace);
        let patched = api
            .patch(name, &PatchParams::default(), &Patch::Merge(patch))
            .await;
        patched.unwrap_or_else(|error| panic!("patching the {kind} {name}: {error}"));
    }

    /// As the controller that is in charge of the object would.
    pub(crate) async fn patch_status(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
        patch: Value,
    ) {
        let api = self.api(api_version, kind, namespace);
        let patched = api
            .patch_status(name, &PatchParams::default(), &Patch::Merge(patch))
            .await;
        patched.unwrap_or_else(|error| panic!("patching the status of the {kind} {name}: {error}"));
    }

    pub(crate) async fn delete(
        &self,
        api_version: &str,
        kind: &str,
        namespace: Option<&str>,
        name: &str,
    ) {
        let now = DeleteParams {
            grace_period_seconds: Some(0),
            ..Default::default()
        };
        let deleted = self
            .api(api_version, kind, namespace)
            .delete(name, &now)
            .await;
        deleted.unwrap_or_else(|error| panic!("deleting the {kind} {name}: {error}"));
    }

    /// `namespace/name` (or `name`) and version of every object, as the server itself lists them now.
    pub(crate) async fn list(
        &self,
        api_version: &str,
        kind: &str,
        params: &ListParams,
    ) -> Vec<(String, String)> {
        let listed = self.try_list(api_version, kind, params).await;
        let listed = listed.unwrap_or_else(|error| panic!("listing {kind}: {error}"));
        let text = |object: DynamicObject| {
            let meta = object.metadata;
            let name = meta.name.unwrap_or_default();
            let key = meta
                .namespace
                .map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}"));
            (key, meta.resource_version.unwrap_or_default())
        };
        let mut all: Vec<_> = listed.items.into_iter().map(text).collect();
        all.sort();
        all
    }

    pub(crate) async fn try_list(
        &self,
        api_version: &str,
        kind: &str,
        params: &ListParams,
    ) -> Result<kube::core::ObjectList<DynamicObject>, kube::Error> {
        self.api(api_version, kind, None).list(params).await
    }

    pub(crate) async fn namespace(&self, name: &str) {
        self.create("v1", "Namespace", None, json!({"metadata": {"name": name}}))
            .await;
    }
}

fn typed(api_version: &str, kind: &str, mut object: Value) -> DynamicObject {
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    serde_json::from_value(object).expect("the test's object has metadata")
}

/// The configuration of the restricted user.
async fn config(server: &RealServer) -> kube::Config {
    let kubeconfig = kube::config::Kubeconfig::read_from(server.restricted_kubeconfig())
        .expect("the tester's kubeconfig");
    kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default())
        .await
        .expect("the tester's kubeconfig is usable")
}
