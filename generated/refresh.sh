#!/bin/sh
# Writes the carried documents, generated/v1_NN.json, anew from the Kubernetes releases named below.
# Needs Go, for its module cache and proxy: the module k8s.io/kubernetes holds api/openapi-spec.
#
# One release a version: the last that k8s-openapi was generated from, or later. A test of larder-codegen reads this
# list and proves the documents fresh.
set -eu

releases='
v1.33.0
v1.34.2
v1.35.0
v1.36.0
v1.37.2
'

cd "$(dirname "$0")/.."
cargo build --quiet --package larder-codegen --example normalise
for release in $releases; do
    # Not from inside a Go module, so that no go.mod has a say.
    directory=$(cd / && go mod download -json "k8s.io/kubernetes@$release" | sed -n 's/^.*"Dir": "\(.*\)",$/\1/p')
    minor=${release#v1.}
    document=generated/v1_${minor%%.*}.json
    cargo run --quiet --package larder-codegen --example normalise -- "$directory/api/openapi-spec/v3" >"$document.new"
    mv "$document.new" "$document"
    echo "$document: $release, $(wc -c <"$document") bytes"
done
