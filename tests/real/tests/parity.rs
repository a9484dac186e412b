//! The real server answers as recorded in `tests/parity/`. With `LARDER_RECORD=1` its answers become the recordings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use larder_real::RealServer;
use larder_real::parity::{Case, Subject, differences, run};

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../parity")
        .join(name)
}

struct Real {
    server: RealServer,
    admin: kube::Client,
    tester: kube::Client,
    anonymous: kube::Client,
}

impl Subject for Real {
    fn client(&self, user: &str) -> Option<kube::Client> {
        match user {
            "admin" => Some(self.admin.clone()),
            "tester" => Some(self.tester.clone()),
            "anonymous" => Some(self.anonymous.clone()),
            _ => None,
        }
    }

    fn has(&self, _ability: &str) -> bool {
        true
    }

    async fn control(&self, action: &str) -> Result<(), String> {
        let done = match action {
            "compact" => self.server.compact().await.map(drop),
            "restart" => self.server.restart().await,
            _ => return Err(format!("unknown action {action}")),
        };
        done.map_err(|error| error.to_string())
    }
}

impl Real {
    async fn start(flags: &[String]) -> Option<Real> {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let server = RealServer::start_with(&flags).await.unwrap()?;
        Some(Real {
            admin: server.client().await.unwrap(),
            tester: server.restricted_client().await.unwrap(),
            anonymous: server.anonymous_client().await.unwrap(),
            server,
        })
    }

    /// What differs from the recording, for people; nothing when it is recorded anew.
    async fn play(&self, case: &Case) -> String {
        let seen = run(self, case)
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let recording = directory("recorded").join(format!("{}.txt", case.name));
        if std::env::var_os("LARDER_RECORD").is_some() {
            std::fs::write(&recording, &seen).unwrap();
        }
        let recorded = std::fs::read_to_string(&recording).unwrap_or_default();
        let found = differences(&recorded, &seen);
        found
            .iter()
            .map(|difference| format!("{}: {difference}\n", case.name))
            .collect()
    }
}

#[tokio::test]
async fn the_real_server_answers_as_recorded() {
    let chosen = std::env::var("LARDER_CASE").unwrap_or_default();
    let mut by_flags: BTreeMap<Vec<String>, Vec<Case>> = BTreeMap::new();
    for case in Case::read_all(&directory("cases")).unwrap() {
        if case.name.contains(&chosen) {
            by_flags.entry(case.flags.clone()).or_default().push(case);
        }
    }
    let mut report = String::new();
    for (flags, cases) in by_flags {
        let Some(real) = Real::start(&flags).await else {
            return;
        };
        for case in cases {
            report += &real.play(&case).await;
        }
    }
    assert!(report.is_empty(), "not as recorded:\n{report}");
}

#[test]
fn every_recording_has_its_case_and_every_case_its_recording() {
    let names = |of: &str| {
        let files = std::fs::read_dir(directory(of))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut names: Vec<_> = files
            .map(|file| file.file_stem().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("cases"), names("recorded"));
}
