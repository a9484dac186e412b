//! A user's crate against the real API server: examples/custom-resources, generated from its definitions, built and run; then again
//! after the definitions changed. Skipped, with a message, where the server is not available.

mod cluster;
mod program;
mod project;

use std::path::Path;

use serde_json::json;

use cluster::Cluster;
use program::Program;
use project::Project;

const GADGETS: &str = "gadgets.shop.example.com";
const GADGETS_FILE: &str = "crds/gadgets.shop.example.com.yaml";
const MAKERS_FILE: &str = "crds/makers.shop.example.com.yaml";
const ABSENT: &str = "the server does not serve gadgets in shop.example.com/";

/// What is told when all gadgets are gone in the end.
const GONE: [&str; 3] = [
    "- gadget default/chair",
    "- gadget default/lamp",
    "- gadget default/vase",
];

/// What a user changes in the program to go over to the later definition.
const LATER: [(&str, &str); 4] = [
    ("v1::{Gadget,", "v2::{Gadget,"),
    ("selectable::SPEC_COLOR", "selectable::SPEC_SHELF"),
    ("field!(Gadget, spec.color)", "field!(Gadget, spec.shelf)"),
    (
        r#"format!("{}, {} mm", gadget.spec.color, gadget.spec.size)"#,
        r#"format!("{} on {:?}", gadget.spec.color, gadget.spec.shelf)"#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_users_crate_follows_its_kinds_through_changes_of_their_definitions() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let project = Project::new();
    let mut first = as_the_example_is(&cluster, &project).await;
    let second = a_version_more(&cluster, &project, &mut first).await;
    a_version_less(&cluster, &project, first).await;
    gone_and_back(&cluster, &project, second).await;
    project.clean().await;
    cluster.server.shutdown().await.unwrap();
}

/// Installs the definitions, builds the crate as it is, and changes objects while it runs. Answers the program, which runs on.
async fn as_the_example_is(cluster: &Cluster, project: &Project) -> Program {
    cluster.apply(&project.path(GADGETS_FILE)).await;
    cluster.apply(&project.path(MAKERS_FILE)).await;
    cluster.until_served("v1", "gadgets").await;
    cluster.until_served("v1", "makers").await;
    let lamp = json!({"color": "red", "maker": "acme"});
    let door = json!({"color": "green", "maker": "acme", "size": 2000});
    let vase = lamp.clone();
    cluster.create_gadget("v1", "lamp", lamp).await;
    cluster.create_gadget("v1", "door", door).await;
    let country = json!({"country": "Freedonia"});
    cluster.create_maker("acme", country).await;

    let (built, _) = project.build().await;
    let start = |arguments: &[&str]| Program::start(&built, cluster.server.kubeconfig(), arguments);
    let (mut all, mut red) = (start(&[]), start(&["red"]));
    all.says(&["green: 1 gadgets"]).await;
    for program in [&mut all, &mut red] {
        let expected = ["1 makers", "red: 1 gadgets", "now following"];
        program.says(&expected).await;
    }

    cluster.create_gadget("v1", "vase", vase).await;
    for program in [&mut all, &mut red] {
        // The size is the definition's default.
        program.says(&["+ gadget default/vase: red, 10 mm"]).await;
    }
    let blue = json!({"color": "blue"});
    cluster.patch_gadget("v1", "lamp", blue).await;
    let changed = "~ gadget default/lamp: red, 10 mm -> blue, 10 mm";
    all.says(&[changed]).await;
    // The server does not select it any more.
    red.says(&["- gadget default/lamp"]).await;
    cluster.delete_gadget("v1", "door").await;
    all.says(&["- gadget default/door"]).await;

    let recalled = json!({"recalled": true});
    cluster.patch_maker("acme", recalled).await;
    all.says(&["! maker acme: 2 recalled"]).await;
    red.says(&["! maker acme: 1 recalled"]).await;
    red.end("INT").await;
    all
}

/// The definition gets a version, with one more color and a field by which the server selects: first in the crate, then in the cluster, where
/// the program of before goes on. Answers the new program.
async fn a_version_more(cluster: &Cluster, project: &Project, first: &mut Program) -> Program {
    let later = "tests/user_crate/gadgets.shop.example.com.yaml";
    let later = Path::new(env!("CARGO_MANIFEST_DIR")).join(later);
    project.copy(&later, GADGETS_FILE);
    project.edit("src/main.rs", &LATER);
    let (built, _) = project.build().await;
    let start = |arguments: &[&str]| Program::start(&built, cluster.server.kubeconfig(), arguments);
    let mut all = start(&[]);
    all.complains(&[ABSENT, "/v2"]).await;
    cluster.apply(&later).await;
    cluster.until_served("v2", "gadgets").await;
    all.says(&["1 makers", "now following"]).await;

    let chair = json!({"color": "purple", "size": 900, "shelf": "A3"});
    cluster.create_gadget("v2", "chair", chair).await;
    let added = r#"+ gadget default/chair: purple on Some("A3")"#;
    all.says(&[added]).await;
    // Of that color it knows nothing.
    let added = "+ gadget default/chair: purple, 900 mm";
    first.says(&[added]).await;
    let mut shelf = start(&["A3"]);
    let expected = ["1 makers", "A3: 1 gadgets", "now following"];
    shelf.says(&expected).await;

    // What the server would do within minutes, as the definition is another one: it ends the watches.
    cluster.server.restart().await.unwrap();
    let moved = json!({"color": "green", "shelf": "A3"});
    cluster.patch_gadget("v2", "vase", moved).await;
    let changed = "~ gadget default/vase: red, 10 mm -> green, 10 mm";
    first.says(&[changed]).await;
    let changed = r#"~ gadget default/vase: red on None -> green on Some("A3")"#;
    all.says(&[changed]).await;
    let added = r#"+ gadget default/vase: green on Some("A3")"#;
    shelf.says(&[added]).await;
    shelf.end("TERM").await;
    all
}

/// The older version is not served any more: the gadgets are gone for the program that follows them in it, and for no other.
async fn a_version_less(cluster: &Cluster, project: &Project, mut first: Program) {
    let served = "    - name: v1\n      served: true\n";
    let not_served = "    - name: v1\n      served: false\n";
    project.edit(GADGETS_FILE, &[(served, not_served)]);
    cluster.apply(&project.path(GADGETS_FILE)).await;
    cluster.until_not_served("v1", "gadgets").await;
    cluster.server.restart().await.unwrap();
    first.complains(&[ABSENT, "/v1"]).await;
    first.says(&GONE).await;
    first.end("TERM").await;

    let (_, printed) = project.build().await;
    let mut warnings = printed.lines().filter(|line| line.contains("not served"));
    let left_out = |line: &str| line.contains("shop.example.com/v1/Gadget");
    assert!(warnings.any(left_out), "{printed}");
}

/// The definition is deleted, and installed again.
async fn gone_and_back(cluster: &Cluster, project: &Project, mut second: Program) {
    cluster.delete_definition(GADGETS).await;
    second.says(&GONE).await;
    // The other kind is followed meanwhile, and reads of the index find that the gadgets are gone.
    for (recalled, told) in [(false, "recall is over"), (true, "0 recalled")] {
        let recalled = json!({"recalled": recalled});
        cluster.patch_maker("acme", recalled).await;
        second.says(&[&format!("! maker acme: {told}")]).await;
    }
    second.forget_errors();
    // The server would keep the watch of a deleted kind open for two minutes.
    cluster.server.restart().await.unwrap();
    second.complains(&[ABSENT, "/v2"]).await;

    cluster.apply(&project.path(GADGETS_FILE)).await;
    cluster.until_served("v2", "gadgets").await;
    let lamp = json!({"color": "green", "shelf": "C1"});
    cluster.create_gadget("v2", "lamp", lamp).await;
    // Another object than the lamp of before: an add, no update.
    let added = r#"+ gadget default/lamp: green on Some("C1")"#;
    second.says(&[added]).await;
    let over = json!({"recalled": false});
    cluster.patch_maker("acme", over).await;
    second.says(&["! maker acme: recall is over"]).await;
    second.end("TERM").await;
}
