#!/usr/bin/env bash
# What 300 uses of `field!` add to a check of a crate: an example of ten files' size with them, and the same functions without.
# CPU seconds of the one crate, its dependencies being built; the smallest of three runs counts. On a busy machine they come out higher.
set -euo pipefail
cd "$(dirname "$0")/../.."

export CARGO_INCREMENTAL=0
TIMEFORMAT=%U
example=examples/field_cost
trap 'rm -rf "$example"' EXIT
mkdir "$example"

paths=(spec.nodeName status.phase metadata.name 'metadata.labels["app"]' 'spec.containers[].image' 'metadata.ownerReferences[].uid')

program() { # with paths or without
    printf '//! What paths cost.\n#![allow(dead_code)]\nuse larder::core::v1::Pod;\nuse larder::{Field, field};\n'
    for number in $(seq 300); do
        path=${paths[number % ${#paths[@]}]}
        if [ "$1" = with ]; then
            printf 'fn f%d() -> Field<Pod, String> { field!(Pod, %s) }\n' "$number" "$path"
        else
            printf 'fn f%d(path: Field<Pod, String>) -> Field<Pod, String> { path }\n' "$number"
        fi
    done
    printf 'fn main() { let _ = field!(Pod, spec.nodeName); }\n'
}

seconds() {
    program "$1" >"$example/main.rs"
    cargo check --quiet --example field_cost
    for _ in 1 2 3; do
        touch "$example/main.rs"
        { time cargo check --quiet --example field_cost 2>/dev/null; } 2>&1
    done | sort -n | head -n 1
}

without=$(seconds without)
with=$(seconds with)
awk -v with="$with" -v without="$without" \
    'BEGIN { printf "300 paths: %.2f s; none: %.2f s; a path adds %.2f ms\n", with, without, (with - without) / 300 * 1000 }'
