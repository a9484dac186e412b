#!/usr/bin/env bash
# Runs the models of `runtime/src/models`: the real store, handlers and waiting in many interleavings.
#
#   tests/models.sh [FILTER]   all models, or those whose name contains FILTER
#   LARDER_SCHEDULES           how many schedules to try per model (default: 1000)
#   LARDER_SEED                the seed of the schedules (default: a new one, printed on failure)
#   LARDER_SCHEDULE            one failing schedule, as it was printed; replays it in the model that FILTER names
set -euo pipefail
cd "$(dirname "$0")/.."

# Other flags than usual, hence another folder, or each build would undo the other.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/models"
export RUSTFLAGS="--cfg larder_shuttle"
exec cargo test -p larder-runtime --lib -- "${1:-models::}"
