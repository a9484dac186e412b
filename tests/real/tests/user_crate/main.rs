//! A user's crate against the real API server: examples/custom-resources, generated from its definitions, built and run; then again
//! after the definitions changed. Skipped, with a message, where the server is not available.

mod cluster;
mod program;
mod project;

use std::path::Path;

use http::StatusCode;
use serde_json::{Value, json};

use cluster::Cluster;
use program::Program;
use project::Project;

const GADGETS: &str = "gadgets.shop.example.com";
const GADGETS_FILE: &str = "crds/gadgets.shop.example.com.yaml";
const V1: &str = "/apis/shop.example.com/v1";
const V2: &str = "/apis/shop.example.com/v2";

fn gadgets(version: &str) -> String {
    format!("{version}/namespaces/default/gadgets")
}

fn object(path: &str, name: &str, spec: &Value) -> Value {
    let api_version = path.trim_start_matches("/apis/");
    json!({"apiVersion": api_version, "kind": "Gadget", "metadata": {"name": name}, "spec": spec})
}

async fn create(cluster: &Cluster, version: &str, name: &str, spec: Value) {
    let gadget = object(version, name, &spec);
    cluster.create(&gadgets(version), &gadget).await;
}

async fn patch(cluster: &Cluster, version: &str, name: &str, spec: Value) {
    let path = format!("{}/{name}", gadgets(version));
    cluster.patch(&path, &json!({ "spec": spec })).await;
}

/// Has the maker recall its gadgets, or end that, and waits until a program heard of it.
async fn recall(cluster: &Cluster, recalled: bool, programs: &mut [(&mut Program, &str)]) {
    let path = format!("{V1}/makers/acme");
    let spec = json!({"spec": {"recalled": recalled}});
    cluster.patch(&path, &spec).await;
    for (program, expected) in programs {
        let line = format!("! maker acme: {expected}");
        program.says(&[&line]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_users_crate_follows_its_kinds_through_changes_of_their_definitions() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let project = Project::new();
    let first = as_the_example_is(&cluster, &project).await;
    let second = a_version_later(&cluster, &project, first).await;
    gone_and_back(&cluster, &project, second).await;
    project.clean().await;
    cluster.server.shutdown().await.unwrap();
}

/// Installs the definitions, makes some objects, builds the crate as it is, and changes objects while it runs. Answers the program, which
/// runs on.
async fn as_the_example_is(cluster: &Cluster, project: &Project) -> Program {
    for file in [GADGETS_FILE, "crds/makers.shop.example.com.yaml"] {
        cluster.apply(&project.path(file)).await;
    }
    for plural in ["gadgets", "makers"] {
        let path = format!("{V1}/{plural}");
        cluster.until(&path, StatusCode::OK).await;
    }
    let maker = json!({
        "apiVersion": "shop.example.com/v1", "kind": "Maker", "metadata": {"name": "acme"}, "spec": {"country": "Freedonia"},
    });
    cluster.create(&format!("{V1}/makers"), &maker).await;
    create(
        cluster,
        V1,
        "lamp",
        json!({"color": "red", "maker": "acme"}),
    )
    .await;
    create(
        cluster,
        V1,
        "door",
        json!({"color": "green", "size": 2000, "maker": "acme"}),
    )
    .await;

    let (built, _) = project.build().await;
    let start = |arguments: &[&str]| Program::start(&built, cluster.server.kubeconfig(), arguments);
    let (mut all, mut red) = (start(&[]), start(&["red"]));
    all.says(&["1 makers", "green: 1 gadgets", "red: 1 gadgets"])
        .await;
    red.says(&["1 makers", "red: 1 gadgets"]).await;
    for program in [&mut all, &mut red] {
        program.says(&["now following"]).await;
    }

    create(
        cluster,
        V1,
        "vase",
        json!({"color": "red", "maker": "acme"}),
    )
    .await;
    for program in [&mut all, &mut red] {
        program.says(&["+ gadget default/vase: red, 10 mm"]).await;
    }
    // One that it does not select any more.
    patch(cluster, V1, "lamp", json!({"color": "blue"})).await;
    all.says(&["~ gadget default/lamp: red, 10 mm -> blue, 10 mm"])
        .await;
    red.says(&["- gadget default/lamp"]).await;
    cluster.delete(&format!("{}/door", gadgets(V1))).await;
    all.says(&["- gadget default/door"]).await;
    let told = &mut [(&mut all, "2 recalled"), (&mut red, "1 recalled")];
    recall(cluster, true, told).await;
    red.end("INT").await;
    all
}

/// The definition gets a version, a field by which the server selects, and a color: first in the cluster, where the program of before goes on,
/// then in the crate. Answers both programs.
async fn a_version_later(
    cluster: &Cluster,
    project: &Project,
    mut first: Program,
) -> (Program, Program) {
    let later = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/user_crate/gadgets.shop.example.com.yaml");
    cluster.apply(&later).await;
    cluster.until(&gadgets(V2), StatusCode::OK).await;
    let chair = json!({"color": "purple", "size": 900, "shelf": "A3"});
    create(cluster, V2, "chair", chair).await;
    // A color of which it knows nothing.
    first
        .says(&["+ gadget default/chair: purple, 900 mm"])
        .await;

    project.copy(&later, GADGETS_FILE);
    project.edit(
        "src/main.rs",
        &[
            ("v1::{Gadget,", "v2::{Gadget,"),
            ("selectable::SPEC_COLOR", "selectable::SPEC_SHELF"),
            ("field!(Gadget, spec.color)", "field!(Gadget, spec.shelf)"),
            (
                r#"format!("{}, {} mm", gadget.spec.color, gadget.spec.size)"#,
                r#"format!("{} on {:?}", gadget.spec.color, gadget.spec.shelf)"#,
            ),
        ],
    );
    let (built, _) = project.build().await;
    let start = |arguments: &[&str]| Program::start(&built, cluster.server.kubeconfig(), arguments);
    let (mut all, mut shelf) = (start(&[]), start(&["A3"]));
    for program in [&mut all, &mut shelf] {
        program
            .says(&["1 makers", "A3: 1 gadgets", "now following"])
            .await;
    }
    patch(cluster, V2, "lamp", json!({"shelf": "A3"})).await;
    all.says(&[r#"~ gadget default/lamp: blue on None -> blue on Some("A3")"#])
        .await;
    shelf
        .says(&[r#"+ gadget default/lamp: blue on Some("A3")"#])
        .await;
    patch(cluster, V2, "chair", json!({"shelf": "B1"})).await;
    all.says(&[r#"~ gadget default/chair: purple on Some("A3") -> purple on Some("B1")"#])
        .await;
    shelf.says(&["- gadget default/chair"]).await;
    shelf.end("TERM").await;
    (first, all)
}

/// The definition is deleted, and installed again without the older version.
async fn gone_and_back(
    cluster: &Cluster,
    project: &Project,
    (mut first, mut second): (Program, Program),
) {
    cluster.delete_definition(GADGETS).await;
    for program in [&mut first, &mut second] {
        program
            .says(&[
                "- gadget default/chair",
                "- gadget default/lamp",
                "- gadget default/vase",
            ])
            .await;
    }
    // The other kind is followed all the time; its reads of the index find that the gadgets are gone.
    let over = "recall is over";
    let told = &mut [(&mut first, over), (&mut second, over)];
    recall(cluster, false, told).await;
    let told = &mut [(&mut first, "0 recalled"), (&mut second, "0 recalled")];
    recall(cluster, true, told).await;
    // The server would keep the watches of a deleted kind open for two minutes.
    cluster.server.restart().await.unwrap();
    let absent = "the server does not serve gadgets in shop.example.com";
    first.complains(&[absent, "/v1"]).await;
    second.complains(&[absent, "/v2"]).await;

    project.edit(
        GADGETS_FILE,
        &[(
            "    - name: v1\n      served: true\n",
            "    - name: v1\n      served: false\n",
        )],
    );
    cluster.apply(&project.path(GADGETS_FILE)).await;
    cluster.until(&gadgets(V2), StatusCode::OK).await;
    create(
        cluster,
        V2,
        "lamp",
        json!({"color": "green", "shelf": "C1"}),
    )
    .await;
    // Another object than the lamp of before: an add, no update.
    second
        .says(&[r#"+ gadget default/lamp: green on Some("C1")"#])
        .await;
    let told = &mut [(&mut first, over), (&mut second, over)];
    recall(cluster, false, told).await;
    first.end("TERM").await;
    second.end("TERM").await;

    let (_, printed) = project.build().await;
    let left_out = printed
        .lines()
        .find(|line| line.contains("shop.example.com/v1/Gadget"));
    assert!(
        left_out.is_some_and(|line| line.contains("not served")),
        "{printed}"
    );
}
