#!/usr/bin/env bash
# What all kinds of Kubernetes together add to a dev build: compiles the crate `larder` alone, its dependencies being
# built, with all kinds and with a document that has none. Without incremental compilation, as in a first build.
# CPU seconds, which for a crate of this kind are those of one thread; the smallest of three runs counts. On a busy
# machine they come out higher.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_INCREMENTAL=0
TIMEFORMAT=%U

seconds() {
    cargo build --quiet --package larder
    for _ in 1 2 3; do
        touch src/lib.rs
        { time cargo build --quiet --package larder 2>/dev/null; } 2>&1
    done | sort -n | head -n 1
}

all=$(LARDER_OPENAPI='' seconds)
none=$(LARDER_OPENAPI="$PWD/codegen/tests/documents/no_kinds.json" seconds)
awk -v all="$all" -v none="$none" \
    'BEGIN { printf "all kinds: %.1f s; none: %.1f s; the kinds add %.1f s\n", all, none, all - none }'
