//! What stands below the options of each command with `--help`. A test runs the command line of every example.

pub(crate) const EXIT_CODES: &str = "\
Exit codes: 0 done, or nothing differs; 1 something differs (`openapi diff`, `generate --check`); 2 an error.";

pub(crate) const LARDER: &str = "\
Examples:
  # What the cluster serves, into the repository; and in CI: whether it still serves that
  larder openapi pull -f openapi.json
  larder openapi diff openapi.json --live

  # The cluster's custom resources, and the code of caches of them
  larder crds pull -d crds
  larder generate --crds 'crds/*.yaml' -d src/generated

  # What a field is, and how objects are found by it
  larder explain pods spec.nodeName

Results go to standard output, in the form that --output says; errors and notes go to standard error. A file is written whole
or not at all, and is left alone where it holds the same already. A command that fails writes nothing.

Exit codes: 0 done, or nothing differs; 1 something differs (`openapi diff`, `generate --check`); 2 an error.

Environment: KUBECONFIG, and the proxy variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as kubectl reads them.";

pub(crate) const OPENAPI: &str = "\
Examples:
  larder openapi pull -f openapi.json
  larder openapi diff old.json new.json";

pub(crate) const OPENAPI_PULL: &str = "\
Examples:
  # The document of the current context's cluster, as openapi.json
  larder openapi pull

  # Two groups of another cluster; `core` is the group of pods
  larder openapi pull --context production --group core --group apps -f production.json

  # To another program
  larder openapi pull -f - --timeout 10

Result with --output json: {\"file\", \"changed\", \"kinds\", \"types\"}; the latter two are numbers.";

pub(crate) const OPENAPI_DIFF: &str = "\
Examples:
  # What a new version of Kubernetes brings
  larder openapi diff v1_36.json v1_37.json

  # In CI: whether the document in the repository is what the cluster serves
  larder openapi diff openapi.json --live

  # One group, for a program
  larder openapi diff openapi.json --live --group cert-manager.io --output json

Exit codes: 0 nothing differs; 1 something differs; 2 an error.

Result with --output json: {\"kinds\": [...], \"types\": [...]}, each entry {\"name\", \"change\": \"added\" | \"removed\" | \"changed\",
\"parts\"}, each part {\"name\", \"change\", \"old\", \"new\"}. A changed entry alone has parts; a part that was added has no \"old\",
one that was removed no \"new\".";

pub(crate) const CRDS: &str = "\
Examples:
  larder crds pull -d crds";

pub(crate) const CRDS_PULL: &str = "\
Examples:
  # All definitions, into crds/
  larder crds pull

  # Those of one group, and the code of caches of them
  larder crds pull --group cert-manager.io -d crds
  larder generate --crds crds -d src/generated

Result with --output json: {\"folder\", \"files\": [{\"name\", \"changed\"}]}.";

pub(crate) const GENERATE: &str = "\
Examples:
  # Types and caches of custom resources, in src/generated/larder.rs
  larder generate --crds 'crds/*.yaml' -d src/generated

  # As a module of its own: src/generated.rs, and in the code `#[rustfmt::skip] mod generated;`
  larder generate --crds crds -d src --file-name generated.rs

  # Two kinds of Kubernetes
  larder generate --openapi openapi.json --kind v1/Pod --kind apps/v1/Deployment -d src/generated

  # Less to compile, and a type of one's own
  larder generate --crds crds -d src/generated --prune '*:spec.affinity' --use-type '*:**.podTemplate=crate::Template'

  # In CI: whether the code is what its document gives
  larder generate --crds crds -d src/generated --check

In the code, `mod generated { include!(\"generated/larder.rs\"); }` or `#[rustfmt::skip] mod generated;`: the formatter would change the
file, and --check would say so. The crate depends on larder and k8s-openapi. What a build script prints for cargo is no part of this
command: it writes where --dir says, and prints no instructions.

Exit codes: 0 done, or all files are up to date; 1 a file is not (--check); 2 an error.

Result with --output json: {\"files\": [{\"file\", \"fresh\", \"written\"}], \"kinds\": [{\"kind\", \"types\"}], \"shared_types\",
\"left_out\": [{\"kind\", \"reason\"}], \"warnings\": [...], \"other_documents\"}; the last is how many
documents among the definitions are something else.";

pub(crate) const EXPLAIN: &str = "\
Examples:
  # Of the cluster, custom resources and aggregated APIs too
  larder explain pods spec.nodeName
  larder explain certificates spec.issuerRef.name

  # All fields of an object of a list, and everything that the server selects pods by
  larder explain pods 'spec.containers[]'
  larder explain pods

  # A value of a map, the keys of a map
  larder explain pods 'metadata.labels[\"app\"]'
  larder explain configmaps 'data{}'

  # Without a cluster
  larder explain deployments.apps spec.replicas --openapi openapi.json
  larder explain gauges spec.unit --crds 'crds/*.yaml'

Result with --output json: {\"kind\", \"resource\", \"scope\", \"origin\", \"path\", \"type\", \"optional\", \"several\", \"index\", \"key\",
\"server_selects\": \"field\" | \"label\" | \"no\" | \"unknown\", \"selectable\", \"since\", \"label_selector\", \"fields\": [{\"name\", \"type\",
\"required\"}], \"selectable_fields\": [{\"path\", \"selectable\", \"since\"}]}. What there is not is null.";

pub(crate) const COMPLETION: &str = "\
Examples:
  larder completion bash >/etc/bash_completion.d/larder
  larder completion zsh >\"${fpath[1]}/_larder\"
  larder completion fish >~/.config/fish/completions/larder.fish";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use crate::args::Args;

    /// The words of a line as a shell has them, without a redirection.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" >").next().unwrap_or_default();
        let mut words = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                c => words.last_mut().unwrap().push(c),
            }
        }
        words
    }

    fn check(command: &clap::Command) -> usize {
        let help = command.get_after_long_help();
        let help = help.map(ToString::to_string).unwrap_or_default();
        let name = command.get_name();
        let mut examples = 0;
        for line in help.lines() {
            assert!(line.chars().count() <= 140, "{name}: {line}");
            if let Some(line) = line.strip_prefix("  larder ") {
                let words = words(&format!("larder {line}"));
                let parsed = Args::try_parse_from(&words);
                assert!(parsed.is_ok(), "{name}: {line}: {}", parsed.unwrap_err());
                examples += 1;
            }
        }
        assert!(examples > 0 || name == "help", "{name} shows no example");
        let below = command.get_subcommands().map(check).sum::<usize>();
        examples + below
    }

    #[test]
    fn every_command_has_examples_that_are_commands() {
        let command = Args::command();
        command.clone().debug_assert();
        assert!(check(&command) > 20);
    }
}
