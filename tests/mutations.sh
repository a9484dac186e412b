#!/usr/bin/env bash
# Shows that the models and the random histories find mistakes: each patch in `tests/mutations` makes one in a copy of this
# checkout, and the tests that its name begins with (`models`, `histories`) must then fail.
#
#   tests/mutations.sh [FILTER]   all of them, or those whose name contains FILTER
#   tests/mutations.sh --check    only that all of them still apply
#
# A patch that no longer applies is to be made anew: change the code, `git diff -U2`, undo the change.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --check ]; then
    checked=0
    for patch in tests/mutations/*.patch; do
        git apply --check "$patch" || { echo "$patch does not apply" >&2; exit 1; }
        checked=$((checked + 1))
    done
    echo "$checked mutations apply"
    exit
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard --deduplicate | xargs -0 cp --parents -t "$copy"

missed=()
for patch in "$PWD"/tests/mutations/*"${1:-}"*.patch; do
    name=$(basename "$patch" .patch)
    patch --quiet -p1 -d "$copy" <"$patch"
    log="$copy/../$(basename "$copy").log"
    start=$SECONDS
    if "$copy/tests/${name%%-*}.sh" >"$log" 2>&1; then
        missed+=("$name")
        verdict="MISSED"
    elif ! grep -q '^test result: FAILED' "$log"; then
        tail -n 40 "$log"
        echo "$name: its tests did not run" >&2
        exit 1
    else
        verdict="found by $(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | tr '\n' ' ')"
    fi
    printf '%s (%d s): %s\n' "$name" $((SECONDS - start)) "$verdict"
    patch --quiet -R -p1 -d "$copy" <"$patch"
    rm -f "$log"
done
if [ "${#missed[@]}" -gt 0 ]; then
    printf 'not found: %s\n' "${missed[@]}" >&2
    exit 1
fi
