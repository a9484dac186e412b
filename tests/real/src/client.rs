//! `kube::Client`s from the server's kubeconfigs.

use std::path::Path;

use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};

use crate::Error;

/// A client without kube's retry layer.
pub(crate) async fn from_kubeconfig(path: &Path) -> Result<kube::Client, Error> {
    make(path, |_| {}).await
}

/// The same, but it shows the server no certificate.
pub(crate) async fn without_credentials(path: &Path) -> Result<kube::Client, Error> {
    make(path, |config| config.auth_info = AuthInfo::default()).await
}

async fn make(path: &Path, change: impl FnOnce(&mut kube::Config)) -> Result<kube::Client, Error> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Client {
        path: path.to_owned(),
        source,
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(|error| failed(error.into()))?;
    let config =
        kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let mut config = config.map_err(|error| failed(error.into()))?;
    config.default_retry = false;
    change(&mut config);
    kube::Client::try_from(config).map_err(|error| failed(error.into()))
}
