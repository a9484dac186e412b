#!/usr/bin/env bash
# Prints the path of the test API server's binary. With --build it is built where it is not there yet, once.
#
#   LARDER_APISERVER   a ready binary: nothing is built, it must only be runnable; "none": exit with code 3
#   LARDER_CACHE       where built binaries are kept (default: larder/ in the user's cache directory)
#
# Standard output is the path alone. Exit codes: 0 found or built; 3 it is not there (and was not to be built, or there is no Go, or
# "none"), so tests that need the real server are to be skipped; 1 anything else. What happens is told on standard error.
set -euo pipefail

fail() { echo "find.sh: $1" >&2; exit "${2:-1}"; }

[[ "${LARDER_APISERVER:-}" != none ]] || fail "LARDER_APISERVER is \"none\": tests that need the real API server are skipped" 3
if [[ -n "${LARDER_APISERVER:-}" ]]; then
  [[ -f "$LARDER_APISERVER" && -x "$LARDER_APISERVER" ]] \
    || fail "LARDER_APISERVER names $LARDER_APISERVER, which is not a program; unset it to have one built"
  printf '%s\n' "$LARDER_APISERVER"
  exit 0
fi

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)"
cd "$here"

# The key is what the binary is made from: the module's files, by name and content, and nothing of where they are.
sources=(go.mod go.sum *.go)
if command -v sha256sum >/dev/null; then hash=(sha256sum); else hash=(shasum -a 256); fi
key="$("${hash[@]}" "${sources[@]}" | "${hash[@]}" | cut -c1-16)"

cache="${LARDER_CACHE:-${XDG_CACHE_HOME:-${HOME:?neither LARDER_CACHE nor HOME is set}/.cache}/larder}"
binary="$cache/apiserver-$key"
if [[ -x "$binary" ]]; then
  printf '%s\n' "$binary"
  exit 0
fi

[[ "${1:-}" == --build ]] \
  || fail "the real API server is not built, so its tests are skipped (tests/apiserver/find.sh --build builds it; needs Go)" 3
command -v go >/dev/null \
  || fail "Go is not installed, so the real API server cannot be built and its tests are skipped (set LARDER_APISERVER to use a ready binary)" 3

mkdir -p "$cache"
# One build at a time. A lock directory would survive a crash; the kernel drops this lock with its holder. Where there is no
# flock, two builds at once are wasteful but safe: each goes to a file of its own and is moved into place.
if command -v flock >/dev/null; then
  exec 9>"$cache/apiserver-build.lock"
  flock -n 9 || { echo "find.sh: waiting for another build of the API server" >&2; flock 9; }
  if [[ -x "$binary" ]]; then
    printf '%s\n' "$binary"
    exit 0
  fi
fi

building="$(mktemp "$cache/apiserver-building.XXXXXX")"
trap 'rm -f "$building"' EXIT
echo "find.sh: building the API server into $cache (once; some minutes and 2.5 GB of Go's build cache when that is cold)" >&2
# The lock is not handed down: a process that Go leaves behind must not hold it. The Go that is here must do.
GOTOOLCHAIN=local GOFLAGS=-buildvcs=false go build -ldflags='-s -w' -o "$building" . 9>&- >&2 \
  || fail "the build of the API server failed (Go $(go env GOVERSION); go.mod says which it needs)"
chmod 755 "$building"
mv -f "$building" "$binary"

# Binaries of earlier sources are of no use once nobody has run them for a month.
find "$cache" -maxdepth 1 -name 'apiserver-*' -type f ! -name '*.lock' -atime +30 ! -path "$binary" -delete 2>/dev/null || true
printf '%s\n' "$binary"
