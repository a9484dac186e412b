//! What goes wrong, and what is told of it.

use std::collections::BTreeMap;

use crate::support::{Answer, Place, cluster, in_repository};

#[test]
fn what_a_server_refuses_or_gets_wrong_is_an_error_that_names_it_and_no_file_is_written() {
    let broken = |path: &str, answer: Answer| {
        let mut answers = cluster();
        answers.insert(path.to_owned(), answer);
        let place = Place::with_server(answers);
        let error = place.run(&["openapi", "pull", "--timeout", "1"]).failed();
        assert_eq!(place.names("."), [""; 0], "{error}");
        error
    };
    let group = "/openapi/v3/apis/example.com/v1?hash=B";
    for (path, answer, expected) in [
        (
            "/openapi/v3",
            Answer::Status(403, "no".into()),
            "GET /openapi/v3 was answered 403: the account lacks the right",
        ),
        (
            "/openapi/v3",
            Answer::Status(404, "no".into()),
            "GET /openapi/v3 was answered 404",
        ),
        (
            "/openapi/v3",
            Answer::Status(401, "no".into()),
            "credentials",
        ),
        (
            "/openapi/v3",
            Answer::Json("{".into()),
            "/openapi/v3 is no index of OpenAPI v3: not as expected at line 1",
        ),
        (
            "/openapi/v3",
            Answer::Silence,
            "has not answered within 1 second",
        ),
        (
            group,
            Answer::Status(503, "starting".into()),
            "GET /openapi/v3/apis/example.com/v1?hash=B was answered 503 (starting)",
        ),
        (
            group,
            Answer::Json("{".into()),
            "apis/example.com/v1: not JSON",
        ),
        (
            group,
            Answer::Json(r#"{"openapi":"3.0.0","paths":{},"components":{"schemas":7}}"#.into()),
            "apis/example.com/v1: components.schemas",
        ),
        (group, Answer::Silence, "has not answered within 1 second"),
    ] {
        let error = broken(path, answer);
        assert!(error.contains(expected), "{expected:?} not in {error}");
    }
}

#[test]
fn without_a_cluster_the_error_says_how_to_name_one() {
    let place = Place::new();
    let failed = |arguments: &[&str]| {
        place
            .run(&[&["openapi", "pull"], arguments].concat())
            .failed()
    };
    let error = failed(&[]);
    let expected = format!(
        "larder: no cluster is configured: there is no kubeconfig at {}; set KUBECONFIG, or name a file with `--kubeconfig`\n",
        place.path("kubeconfig").display()
    );
    assert_eq!(error, expected);
    let error = failed(&["--kubeconfig", "nowhere"]);
    assert!(
        error.contains("cannot read the kubeconfig nowhere: "),
        "{error}"
    );
    place.write("empty", "");
    let error = failed(&["--kubeconfig", "empty"]);
    assert!(
        error.contains("no current context: it has no contexts"),
        "{error}"
    );
}

#[test]
fn an_unknown_context_names_those_that_are_there() {
    let place = Place::with_server(cluster());
    let failed = |context: &str| place.run(&["crds", "pull", "--context", context]).failed();
    let error = failed("other");
    assert!(
        error.ends_with("no context \"other\": name one with `--context`: here\n"),
        "{error}"
    );
    let error = failed("hre");
    assert!(
        error.ends_with("no context \"hre\" (did you mean \"here\"?)\n"),
        "{error}"
    );
    assert_eq!(place.names("."), [""; 0]);
}

/// A parser that shows the line where it stopped would show a token.
#[test]
fn a_broken_kubeconfig_is_not_shown() {
    let place = Place::new();
    for text in [
        "users:\n- {name: a, user: {token: s3cret",
        "users: s3cret\n",
        "users: [{name: a, user: s3cret}]\n",
    ] {
        place.write("kubeconfig", text);
        let error = place.run(&["explain", "pods"]).failed();
        assert!(error.contains("see line "), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let place = Place::with_kubeconfig(&format!("http://{free}"), "{}");
    let error = place.run(&["openapi", "pull"]).failed();
    let expected = format!(
        "larder: asking http://{free}/: GET /openapi/v3 was not answered: nothing listens there; is the cluster running, and the \
         kubeconfig its own?: "
    );
    assert!(error.starts_with(&expected), "{error}");
    assert_eq!(error.matches("onnection refused").count(), 1, "{error}");

    let place = Place::with_kubeconfig(
        "http://127.0.0.1:1",
        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: no-such-login, interactiveMode: Never}}",
    );
    let error = place.run(&["openapi", "pull"]).failed();
    assert!(error.contains("no-such-login"), "{error}");
}

#[test]
fn what_is_no_api_server_is_told_apart() {
    for (answer, expected) in [
        (
            Answer::Page(200),
            "GET /openapi/v3 was answered with a web page instead of JSON: something else than an API server",
        ),
        (
            Answer::Page(403),
            "GET /openapi/v3 was answered 403: the account lacks the right to read this; a cluster administrator has it \
                             (a web page, not an API server's answer)",
        ),
        (
            Answer::Redirect("/login".into()),
            "GET /openapi/v3 was answered 302 Found, to /login: something else than an API server",
        ),
        (Answer::Cut("{\"paths\":".into()), "GET /openapi/v3"),
    ] {
        let place = Place::with_server(BTreeMap::from([("/openapi/v3".to_owned(), answer)]));
        let error = place.run(&["openapi", "pull", "--timeout", "5"]).failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
        assert!(!error.contains("Log in, please"), "{error}");
        assert_eq!(place.names("."), [""; 0]);
    }
}

#[test]
fn definitions_that_may_not_be_listed_are_an_error() {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50";
    for (answer, expected) in [
        (
            Answer::Status(403, "customresourcedefinitions is forbidden".into()),
            "lacks the right to read this; a cluster administrator has it (customresourcedefinitions is forbidden)",
        ),
        (
            Answer::Status(401, "Unauthorized".into()),
            "the credentials of the kubeconfig are not accepted (Unauthorized)",
        ),
        (
            Answer::Json("{\"items\": 5}".into()),
            "is no list: it has no `items`",
        ),
        (
            Answer::Json("[1".into()),
            "is no list: not as expected at line 1",
        ),
        (
            Answer::Silence,
            "has not answered within 1 second: try a longer `--timeout`",
        ),
    ] {
        let place = Place::with_server(BTreeMap::from([(path.to_owned(), answer)]));
        let error = place.run(&["crds", "pull", "--timeout", "1"]).failed();
        assert!(error.contains(expected), "{expected:?} not in {error}");
        assert_eq!(place.names("."), [""; 0]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_and_the_old_one_stays() {
    let place = Place::with_server(cluster());
    place.write("taken", "old");
    place.write("folder/old", "old");
    for file in ["taken/openapi.json", "folder"] {
        let error = place.run(&["openapi", "pull", "-f", file]).failed();
        assert!(error.contains(&format!("cannot write {file}: ")), "{error}");
    }
    assert_eq!(place.read("taken"), "old");
    assert_eq!(place.names("."), ["folder", "taken"]);
    assert_eq!(place.names("folder"), ["old"]);
    let error = place.run(&["crds", "pull", "-d", "taken", "--timeout", "0"]);
    assert_eq!(error.code, Some(2), "{error:?}");
    let error = place
        .run(&[
            "generate",
            "--openapi",
            &crate::support::carried("v1_37"),
            "--kind",
            "v1/Pod",
            "-d",
            "taken",
        ])
        .failed();
    assert!(error.contains("cannot write taken/larder.rs: "), "{error}");
    if cfg!(target_os = "linux") {
        let error = place
            .run(&["openapi", "pull", "-f", "/proc/larder/openapi.json"])
            .failed();
        assert!(
            error.contains("cannot write /proc/larder/openapi.json: "),
            "{error}"
        );
    }
}

/// An aggregated API may be down. What does not need it goes on.
#[test]
fn a_group_that_cannot_be_read_is_in_the_way_of_nothing_else() {
    let mut answers = cluster();
    answers.insert(
        "/openapi/v3/apis/example.com/v1?hash=B".to_owned(),
        Answer::Status(503, "down".into()),
    );
    let place = Place::with_server(answers);
    let error = place.run(&["openapi", "pull"]).failed();
    assert!(error.contains("was answered 503 (down)"), "{error}");
    place.run(&["openapi", "pull", "--group", "core"]).fine();
    let diff = ["openapi", "diff", "openapi.json", "--live"];
    assert_eq!(place.run(&diff).fine(), "no difference\n");
    let explained = place.run(&["explain", "crates", "label"]);
    assert_eq!(
        explained.err,
        "note: left out: GET /openapi/v3/apis/example.com/v1?hash=B was answered 503 (down)\n"
    );
    assert!(explained.fine().contains("field!(Crate, label)"));
    let error = place.run(&["explain", "gauges"]);
    assert_eq!(error.code, Some(2), "{error:?}");
    assert!(
        error.err.contains("there is no kind \"gauges\""),
        "{error:?}"
    );
}

/// A disk without room refuses in the middle of a file, as a limit does; and who is killed there says nothing.
#[cfg(unix)]
#[test]
fn a_file_is_whole_or_the_old_one_however_a_run_ends() {
    let place = Place::with_server(cluster());
    place.write("openapi.json", "old");
    let pull = "ulimit -f 1; larder openapi pull -f openapi.json";
    let refused = place.shell("sh", &format!("trap '' XFSZ; {pull}")).failed();
    assert!(refused.contains("cannot write openapi.json: "), "{refused}");
    assert_eq!(place.read("openapi.json"), "old");
    assert_eq!(place.names("."), ["openapi.json"]);
    let killed = place.shell("sh", pull);
    assert!(killed.code.is_none_or(|code| code > 2), "{killed:?}");
    assert_eq!(place.read("openapi.json"), "old");
    // What it had begun is no obstacle to the next one.
    place.run(&["openapi", "pull"]).fine();
    larder_codegen::read(place.path("openapi.json")).unwrap();
}

/// A shell makes several files of a pattern without quotes.
#[test]
fn several_files_of_definitions_stand_behind_one_option() {
    let place = Place::new();
    let files = ["gadgets.yaml", "lamps.yaml"].map(|name| {
        in_repository("codegen/tests/crds")
            .join(name)
            .display()
            .to_string()
    });
    let [first, second] = &files;
    let told = place
        .run(&["generate", "--crds", first, second, "-d", "out"])
        .fine();
    assert!(told.contains("out/larder.rs: written"), "{told}");
    let code = place.read("out/larder.rs");
    assert!(code.contains("GadgetLister") && code.contains("LampLister"));
}
