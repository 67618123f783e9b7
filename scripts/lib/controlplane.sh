# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The test control plane's binaries: built once for each content of their sources, kept outside the source tree.

# The same sources give the same key, on every machine.
content_key() { # files
  cat "$@" | sha256sum | cut -c1-16
}

controlplane_dir() {
  local m=$controlplane_modules
  printf '%s/controlplane/%s' "$cache" "$(content_key "$m"/{etcd,grpcurl,kube}/go.{mod,sum} "$m/kube/main.go" "$m/build.sh")"
}

# Leaves the folder in $XEBEC_CONTROLPLANE, building what is in it where it is missing.
setup_controlplane() {
  XEBEC_CONTROLPLANE=$(controlplane_dir)
  export XEBEC_CONTROLPLANE
  if [ ! -x "$XEBEC_CONTROLPLANE/kubectl" ]; then build_controlplane; fi
  ln -sfn "$XEBEC_CONTROLPLANE" "$cache/controlplane/current"  # for tests that are started without ./dev
}

build_controlplane() {
  setup_go
  mkdir -p "$cache/controlplane"
  step "build etcd, Kubernetes and grpcurl (5 to 10 minutes, once)" \
    env GO="$go" "$controlplane_modules/build.sh" "$XEBEC_CONTROLPLANE"
}
