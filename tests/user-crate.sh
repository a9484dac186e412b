#!/usr/bin/env bash
# A stranger's crate: outside the workspace, with nothing but what the README says, and path dependencies instead of versions.
#
# Builds the README's program for the oldest and the newest Kubernetes version that a user may enable, and checks that a build
# that reads the user's own cluster's document works and that its errors say what to do.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The user's crate is the one place that enables a version: by feature, as the README says.
unset K8S_OPENAPI_ENABLED_VERSION
# `tests/real/tests/user_crate`, which runs the example crate on a real server, goes on with what is built here: same folder, same profile.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$repository/target}/user-crate" CARGO_PROFILE_DEV_DEBUG=0

block() { # the N-th code block of a language in the README
    awk -v fence='```'"$1" -v wanted="$2" '
        $0 == fence { n++; inside = (n == wanted); next }
        /^```/ { inside = 0 }
        inside { print }' "$repository/README.md"
}

mkdir -p "$folder/src" "$folder/.cargo"
block 'rust,no_run' 1 >"$folder/src/main.rs"
grep -q 'fn main' "$folder/src/main.rs" || { echo "user-crate.sh: the README has no program" >&2; exit 1; }
manifest() {
    printf '[package]\nname = "stranger"\nedition = "2024"\n\n'
    block toml 1 | sed -e "s|^larder = .*|larder = { path = \"$repository\" }|" -e "s|v1_37|$1|"
    printf '\n[workspace]\n'
}

readme_with() { # a Kubernetes version, and what cargo is to do
    echo "user-crate.sh: the README's program with $1"
    manifest "$1" >"$folder/Cargo.toml"
    (cd "$folder" && cargo "$2" --quiet)
}
readme_with v1_33 check
readme_with v1_37 build

echo "user-crate.sh: the macros under another name of the crate"
mkdir -p "$folder/renamed/src"
manifest v1_37 | sed -e 's|^larder = {|cached = { package = "larder",|' -e 's|"stranger"|"renamed"|' |
    awk '{ print } $0 == "[dependencies]" { print "serde = { version = \"1\", features = [\"derive\"] }" }' >"$folder/renamed/Cargo.toml"
cat >"$folder/renamed/src/main.rs" <<'END'
use cached::core::v1::Pod;
use cached::{Cached, Field, LabelSelector, field, labels};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

const EDGE: LabelSelector = labels!("app=web,tier in (front, edge),!canary");
const IMAGES: Field<Pod, String> = field!(Pod, spec.containers[].image);

#[derive(serde::Deserialize)]
struct Widget {
    metadata: ObjectMeta,
}

cached::cached!(Widget, group = "example.com", version = "v1");

// What kube's derive makes of a spec.
#[derive(serde::Deserialize)]
struct Gadget {
    metadata: ObjectMeta,
    spec: GadgetSpec,
}

#[derive(serde::Deserialize, Cached)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", selectable = ".spec.size")]
#[larder(crate = "::cached")]
struct GadgetSpec {
    size: i64,
}

fn main() {
    println!("{EDGE} {} {} {}", IMAGES.path(), WidgetInformer::KIND, GadgetInformer::KIND);
}
END
(cd "$folder/renamed" && cargo build --quiet)

echo "user-crate.sh: a relative LARDER_OPENAPI"
if message=$(cd "$folder" && LARDER_OPENAPI=openapi.json cargo build --quiet 2>&1); then
    echo "user-crate.sh: a relative path was taken" >&2
    exit 1
fi
grep -q 'relative = true' <<<"$message" || { echo "user-crate.sh: the error does not say what to do:"; echo "$message"; exit 1; } >&2

echo "user-crate.sh: the user's own document, by the way that the error shows"
cp "$repository/generated/v1_37.json" "$folder/openapi.json"
printf '[env]\nLARDER_OPENAPI = { value = "openapi.json", relative = true }\n' >"$folder/.cargo/config.toml"
(cd "$folder" && cargo build --quiet)

echo "user-crate.sh: a broken document"
printf '{"kinds": 5}' >"$folder/openapi.json"
if message=$(cd "$folder" && cargo build --quiet 2>&1); then
    echo "user-crate.sh: a broken document was taken" >&2
    exit 1
fi
grep -q 'openapi.json' <<<"$message" || { echo "user-crate.sh: the error does not name the file:"; echo "$message"; exit 1; } >&2

echo "user-crate.sh: custom resources"
rm -r "$folder/.cargo" # with the broken document
folder="$folder/custom"
cp -r "$repository/examples/custom-resources" "$folder"
rm -f "$folder/Cargo.lock"
sed -i.before -e "s|\"../..\"|\"$repository\"|" -e "s|\"../../codegen\"|\"$repository/codegen\"|" "$folder/Cargo.toml"
(cd "$folder" && cargo build --quiet)

echo "user-crate.sh: a definition that comes into the folder is generated from, and what is passed over in it is said"
sed -e 's/gadget/tool/g' -e 's/Gadget/Tool/g' "$folder/crds/gadgets.shop.example.com.yaml" |
    awk '{ print } /^          type: object$/ { print "          titel: slip" }' >"$folder/crds/tools.shop.example.com.yaml"
printf 'pub type Tool = generated::shop_example_com::v1::Tool;\n' >>"$folder/src/main.rs"
# Quiet, cargo keeps warnings of build scripts to itself.
message=$(cd "$folder" && cargo check 2>&1) || { echo "$message"; exit 1; } >&2
grep -q 'tools.shop.example.com.yaml: .*"titel" is no key of a schema and is passed over (did you mean "title"?)' <<<"$message" ||
    { echo "user-crate.sh: the slip is not said:"; echo "$message"; exit 1; } >&2

echo "user-crate.sh: a definition that changes is generated from again"
sed -i.before 's/color/colour/' "$folder/crds/gadgets.shop.example.com.yaml"
if message=$(cd "$folder" && cargo build --quiet 2>&1); then
    echo "user-crate.sh: the code of before was built" >&2
    exit 1
fi
grep -q 'no field `color`' <<<"$message" || { echo "user-crate.sh: the error is another one:"; echo "$message"; exit 1; } >&2

echo "user-crate.sh: a broken definition"
sed -i.before 's/type: integer/type: intger/' "$folder/crds/gadgets.shop.example.com.yaml"
if message=$(cd "$folder" && cargo build --quiet 2>&1); then
    echo "user-crate.sh: a broken definition was taken" >&2
    exit 1
fi
grep -q 'crds/gadgets.shop.example.com.yaml: .*did you mean "integer"' <<<"$message" || { echo "user-crate.sh: the error does not help:"; echo "$message"; exit 1; } >&2

echo "user-crate.sh: kinds of documents beside definitions, where k8s-openapi is older than the cluster"
folder="$(dirname "$folder")/cluster"
mkdir -p "$folder/src" "$folder/crds"
{
    printf '[package]\nname = "clustered"\nedition = "2024"\n\n[dependencies]\nlarder = { path = "%s" }\n' "$repository"
    printf 'k8s-openapi = { version = "0.29", features = ["v1_33"] }\n\n'
    printf '[build-dependencies]\nlarder-codegen = { path = "%s/codegen" }\n\n[workspace]\n' "$repository"
} >"$folder/Cargo.toml"
cp -r "$repository/codegen/tests/documents/cluster" "$folder/openapi"
cp "$repository/codegen/tests/crds/gadgets.yaml" "$folder/crds"
cp "$repository/generated/v1_37.json" "$folder/newest.json"
cat >"$folder/build.rs" <<'END'
use larder_codegen::configure;

fn main() {
    let own = configure().crds("crds/*.yaml").openapi("openapi").generate();
    let newest = configure().openapi("newest.json").file_name("newest.rs").generate();
    for errors in [own, newest].into_iter().filter_map(Result::err) {
        errors.print_for_cargo();
    }
}
END
cat >"$folder/src/main.rs" <<'END'
mod generated {
    larder::include_generated!();
}
mod newest {
    include!(concat!(env!("OUT_DIR"), "/newest.rs"));
}
use generated::core::v1::PodInformer;
use generated::shop_example_com::v1::{Box, Gadget};
use generated::wardle_example_com::v1alpha1::{Flunder, FlunderInformer, flunder};
use larder::field;

fn main() {
    let _: Option<(FlunderInformer, PodInformer, Box, Gadget, newest::core::v1::PodInformer)> = None;
    let spec = flunder::Spec { reference: "a".to_owned(), ..Default::default() };
    println!("{:?}", field!(Flunder, spec.reference).keys(&Flunder::new("f", spec)));
    assert!(newest::LEFT_OUT.iter().any(|kind| kind.starts_with("lifecycle.k8s.io/")));
}
END
(cd "$folder" && cargo check --quiet)
echo "user-crate.sh: all as the README and the examples say"
