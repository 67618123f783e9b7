# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian packages and the Go toolchain.

packages=(
  # the product
  g++ cmake ninja-build ccache pkg-config protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libgrpc-dev libgrpc++-dev grpc-proto
  libabsl-dev libcurl4-openssl-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libsimdjson-dev prometheus-cpp-dev libyaml-cpp-dev
  libcli11-dev libjemalloc-dev libssl-dev zlib1g-dev libcpp-httplib-dev
  # its tests and checks
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev lld-14
  gcovr shellcheck openssl python3 python3-pytest python3-pytest-xdist python3-yaml jq curl git ca-certificates
)

missing_packages() { # names
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

install_packages() { # names
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and need root: $*"
    say "Installing packages needs root: sudo may ask for your password."
    sudo -v
    # sudo's ticket belongs to this terminal, so these two run in the foreground instead of as steps.
    sudo "${apt[@]}" update
    sudo "${apt[@]}" install --no-install-recommends "$@"
    return
  fi
  step "refresh the package lists" "${apt[@]}" update
  step "install packages ($#)" "${apt[@]}" install --no-install-recommends "$@"
}

setup_packages() {
  local missing
  command -v dpkg-query >/dev/null || die "this is not Debian: install the packages named in scripts/lib/packages.sh by hand"
  mapfile -t missing < <(missing_packages "${packages[@]}")
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Missing packages: ${missing[*]}"
  install_packages "${missing[@]}"
}

# What is not to be installed, since the package would start a daemon or bring much along.
unpack_packages() { # folder, names: leaves what is in the newest versions
  local folder=$1 archive
  shift
  [ ! -d "$folder" ] || return 0
  rm -rf "$folder.new"
  mkdir -p "$folder.new/archives"
  step "get ${folder##*/}" env -C "$folder.new/archives" apt-get -q -o APT::Sandbox::User=root download "$@"
  for archive in "$folder.new"/archives/*.deb; do dpkg-deb -x "$archive" "$folder.new"; done
  rm -rf "$folder.new/archives"
  mv "$folder.new" "$folder"
}

# ---- Go: only to build the test control plane ---------------------------------------------------------------

go_wanted=1.26.8

new_enough() { # go binary
  local version
  version=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  version=${version#go}
  [ "$(printf '%s\n' 1.26 "$version" | sort -V | head -n 1)" = 1.26 ]
}

# Leaves the path of a Go 1.26 or newer in $go; gets one through an older Go's module download where there is none.
setup_go() {
  local own=$cache/go/$go_wanted/bin/go
  for go in "$(command -v go || true)" "$own"; do
    if [ -n "$go" ] && [ -x "$go" ] && new_enough "$go"; then return; fi
  done
  command -v go >/dev/null || install_packages golang-go
  step "get Go $go_wanted" "$root/scripts/get-go" "$go_wanted" "$cache/go/$go_wanted"
  go=$own
}
