# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Debian packages and the Go toolchain.

# For the programs. CMake looks for GoogleTest even when no test is built.
build_packages=(
  g++ cmake ninja-build ccache pkg-config protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc-dev libgrpc++-dev grpc-proto
  libabsl-dev libcurl4-openssl-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libsimdjson-dev prometheus-cpp-dev libyaml-cpp-dev
  libcli11-dev libjemalloc-dev liblz4-dev libssl-dev zlib1g-dev libgtest-dev libgmock-dev
)
# For ./dev run and ./dev cluster.
run_packages=(openssl python3 python3-yaml curl git ca-certificates)
# For tests and checks.
test_packages=(
  clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev lld-14 gcovr shellcheck python3-pytest python3-pytest-xdist jq
)
# For the Python SDK and its tests.
sdk_packages=(
  mypy protobuf-compiler python3 python3-build python3-grpcio python3-protobuf python3-pytest python3-setuptools python3-wheel python3-yaml openssl
)

missing_packages() { # names
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

install_packages() { # names
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "cannot install packages without root or sudo: $*"
    say "Installing packages requires root. sudo may ask for your password."
    sudo -v
    # sudo remembers the password for this terminal only, so these commands do not run as steps, which have no terminal.
    sudo "${apt[@]}" update
    sudo "${apt[@]}" install --no-install-recommends "$@"
    return
  fi
  step "refresh the package lists" "${apt[@]}" update
  step "install packages ($#)" "${apt[@]}" install --no-install-recommends "$@"
}

setup_packages() { # names: installs the missing ones
  local missing
  command -v dpkg-query >/dev/null || die "this system is not Debian: install the packages listed in scripts/lib/packages.sh yourself"
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Missing packages: ${missing[*]}"
  install_packages "${missing[@]}"
}

# Unpacks packages that must not be installed because they would start a daemon or pull in many others.
unpack_packages() { # folder, names
  local folder=$1 archive
  shift
  [ ! -d "$folder" ] || return 0
  rm -rf "$folder.new"
  mkdir -p "$folder.new/archives"
  step "download the packages of ${folder##*/}" env -C "$folder.new/archives" apt-get -q -o APT::Sandbox::User=root download "$@"
  for archive in "$folder.new"/archives/*.deb; do dpkg-deb -x "$archive" "$folder.new"; done
  rm -rf "$folder.new/archives"
  mv "$folder.new" "$folder"
}

# ---- Go, for the test control plane and the chart's tools ---------------------------------------------------------------

go_wanted=1.26.8

new_enough() { # go binary
  local version
  version=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  version=${version#go}
  [ "$(printf '%s\n' 1.26 "$version" | sort -V | head -n 1)" = 1.26 ]
}

# Sets $go to a Go 1.26 or newer. An older Go can download one as a module.
setup_go() {
  local own=$cache/go/$go_wanted/bin/go
  for go in "$(command -v go || true)" "$own"; do
    if [ -n "$go" ] && [ -x "$go" ] && new_enough "$go"; then return; fi
  done
  command -v go >/dev/null || install_packages golang-go
  step "download Go $go_wanted" "$root/scripts/get-go" "$go_wanted" "$cache/go/$go_wanted"
  go=$own
}
