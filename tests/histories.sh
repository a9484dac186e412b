#!/usr/bin/env bash
# Runs random histories of a cluster under random faults (see `tests/histories`), in an optimised build, on all cores.
#
#   LARDER_HISTORIES   how many (default: 1000)
#   LARDER_STEPS       of how many steps each (default: 1000)
#   LARDER_SEED        one history alone, by the seed that a failure printed; give the same LARDER_STEPS
#   LARDER_TRACE=1     shows what happens in it
set -euo pipefail
cd "$(dirname "$0")/.."

export LARDER_HISTORIES="${LARDER_HISTORIES:-1000}" LARDER_STEPS="${LARDER_STEPS:-1000}"
exec cargo test --profile histories -p larder-histories -- "$@"
