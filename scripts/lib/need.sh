# shellcheck shell=bash
# Sourced by the suites: finds what a suite needs, installs what it can, and else
# ends it with the command that helps. Nothing is skipped.

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 1
}

# say TEXT: to standard error, so that a suite ends on its runner's own lines.
say() { printf '== %s\n' "$1" >&2; }

# need COMMAND PACKAGE: installs Debian's package when the command is missing.
need() {
  local command=$1 package=$2
  if command -v "$command" >/dev/null; then return; fi
  install_package "$package" || fail "$command is missing and could not be installed; run: sudo apt-get install $package"
  hash -r
  command -v "$command" >/dev/null || fail "$package is installed but has no $command"
}

# install_package PACKAGE: one at a time, for suites run beside each other.
install_package() (
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if ((EUID != 0)); then as_root=(sudo -n); fi
  exec {lock}<scripts/lib/need.sh
  flock "$lock"
  say "installing $1"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" </dev/null >&2 && return
  "${as_root[@]}" apt-get update -qq </dev/null >&2 || return 1
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" </dev/null >&2
)

# need_go, and one way to compile for all suites, which is the image's: checkouts share
# what they compile, in whatever directory they are, and linking, which takes most of a
# warm run, leaves debuggers nothing. Traces keep their lines.
need_go() {
  command -v go >/dev/null || fail "Go is missing; install 1.26 or newer: https://go.dev/doc/install"
  if [[ " $(go env GOFLAGS) " != *' -trimpath '* ]]; then
    GOFLAGS="$(go env GOFLAGS) -trimpath -ldflags=-s"
    export GOFLAGS
  fi
  export CGO_ENABLED=0
  local found
  found=$(GOTOOLCHAIN=local go env GOVERSION)
  found=${found#go}
  if [[ $(printf '%s\n1.26\n' "${found%%-*}" | sort -V | head -1) != 1.26 && $(go env GOTOOLCHAIN) == local ]]; then
    fail "Go $found is too old and may not fetch another (GOTOOLCHAIN=local); install 1.26 or newer: https://go.dev/doc/install"
  fi
}

# need_race: the race detector wants a C compiler.
need_race() {
  need_go
  need gcc gcc
  export CGO_ENABLED=1
}

# need_emulators: Google's Pub/Sub and Firestore emulators, and Java 11 or newer for
# them. An emulator of a test's lives for less than the better compiler needs to pay.
need_emulators() {
  export JAVA_TOOL_OPTIONS=${JAVA_TOOL_OPTIONS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}
  need java default-jre-headless
  command -v gcloud >/dev/null || fail "gcloud is missing; install it: https://cloud.google.com/sdk/docs/install"
  local root
  root=$(dirname "$(dirname "$(readlink -f "$(command -v gcloud)")")")
  if [[ ! -d $root/platform ]]; then root=$(gcloud info --format='value(installation.sdk_root)'); fi
  need_component "$root/platform/pubsub-emulator" pubsub-emulator google-cloud-cli-pubsub-emulator
  need_component "$root/platform/cloud-firestore-emulator" cloud-firestore-emulator google-cloud-cli-firestore-emulator
}

need_component() {
  if [[ -d $1 ]]; then return; fi
  install_package "$3" || true
  [[ -d $1 ]] || fail "the $2 is missing; run: gcloud components install $2 (or, where gcloud came from apt: sudo apt-get install $3)"
}

# need_databases: a Redis and a PostgreSQL server that tests start on ports of their own.
need_databases() {
  need redis-server redis-server
  if ! command -v pg_ctl >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/pg_ctl' >/dev/null; then
    install_package postgresql || fail "PostgreSQL is missing and could not be installed; run: sudo apt-get install postgresql"
  fi
}

# tool MODULE_DIR PACKAGE: builds a Go tool of a module of its own once for each
# version, outside the checkout, and prints where it is.
tool() {
  local dir=$1 package=$2 name=${2##*/} version binary
  need_go
  version=$(cd "$dir" && go list -f '{{.Module.Version}}' "$package")
  binary=${XDG_CACHE_HOME:-$HOME/.cache}/onceway/bin/$name-$version-$(go env GOVERSION)
  if [[ ! -x $binary ]]; then
    say "building $name $version (once)"
    (cd "$dir" && go build -o "$binary.$$" "$package") >&2
    mv "$binary.$$" "$binary"
  fi
  printf '%s\n' "$binary"
}

# alone: whether the suite was named. In a run of all it leaves to other suites what
# they run anyway.
alone() { [[ -z ${ONCEWAY_TEST_ALL:-} ]]; }

# tags: the build tags of tests, one a line.
tags() {
  grep -rhoE --include='*_test.go' --exclude-dir=node_modules '^//go:build .*' . | grep -oE '\b[a-z]+\b' | grep -vxE 'go|build|ignore|linux|unix|race' | sort -u
}

# tagged TAG: the packages that have tests under a build tag, one a line.
tagged() {
  grep -rl --include='*_test.go' --exclude-dir=node_modules "^//go:build .*\b$1\b" . | xargs -r -n1 dirname | sort -u
}
