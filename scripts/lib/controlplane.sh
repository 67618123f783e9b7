# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The programs of the test control plane. They are built once for each content of their Go modules and kept outside the source tree.

kubernetes_links='kube-apiserver,kube-controller-manager,kubectl'

# The same sources give the same key on every machine.
content_key() { # files
  cat "$@" | sha256sum | cut -c1-16
}

controlplane_dir() {
  local m=$controlplane_modules
  printf '%s/controlplane/%s' "$cache" "$(content_key "$m"/{etcd,grpcurl,kube}/go.{mod,sum} "$m/kube/main.go")"
}

# Sets $XEBEC_CONTROLPLANE to the folder of the programs and builds them if they are missing.
setup_controlplane() {
  XEBEC_CONTROLPLANE=$(controlplane_dir)
  export XEBEC_CONTROLPLANE
  if [ ! -x "$XEBEC_CONTROLPLANE/kubectl" ]; then build_controlplane; fi
  ln -sfn "$XEBEC_CONTROLPLANE" "$cache/controlplane/current"  # for tests that are started without ./dev
}

# The other minor versions of Kubernetes that ./dev test --all covers, such as 1.35.
other_minors() {
  find "$controlplane_modules/kube" -name '[0-9]*.mod' -printf '%f\n' | sed 's/\.mod$//' | sort -V
}

# Sets $XEBEC_CONTROLPLANE to a folder with the programs of that minor version, and builds them if they are missing. setup_controlplane comes first.
setup_minor() { # minor
  local kube=$controlplane_modules/kube usual=$XEBEC_CONTROLPLANE
  XEBEC_CONTROLPLANE=$cache/controlplane/$1-$(content_key "$kube/$1".{mod,sum} "$kube/main.go")
  if [ ! -x "$XEBEC_CONTROLPLANE/kubectl" ]; then
    setup_go
    step "build Kubernetes $1 (5 to 15 minutes, once)" env GO="$go" "$root/scripts/build-go" "$XEBEC_CONTROLPLANE" \
      "kubeone=controlplane/kube/$1.mod=.=$kubernetes_links"
  fi
  ln -sf "$usual/etcd" "$usual/grpcurl" "$XEBEC_CONTROLPLANE/"
}

build_controlplane() {
  setup_go
  mkdir -p "$cache/controlplane"
  step "build etcd, grpcurl and Kubernetes (5 to 15 minutes, once)" env GO="$go" "$root/scripts/build-go" "$XEBEC_CONTROLPLANE" \
    etcd=controlplane/etcd/go.mod=go.etcd.io/etcd/server/v3 \
    grpcurl=controlplane/grpcurl/go.mod=github.com/fullstorydev/grpcurl/cmd/grpcurl \
    "kubeone=controlplane/kube/go.mod=.=$kubernetes_links"
}
