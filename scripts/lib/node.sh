# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The programs that only a real node needs, from Debian and from Go modules.

node_modules=$root/tests/node
node_packages=(iptables conntrack ipset iproute2 util-linux libseccomp2)
# These packages are unpacked, not installed, because they would start daemons on this machine.
containers=(containerd runc containernetworking-plugins)
docker=(docker.io tini)

# Prints why this machine cannot run a node; prints nothing when it can.
why_no_node() { PYTHONPATH=$root/tests "$python" -B -m support.enclosure --why-not; }

node_dir() {
  printf '%s/node/%s' "$cache" "$(content_key "$node_modules"/{kube,coredns}/{go.mod,go.sum,main.go})"
}

install_missing() { # names
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
}

# Sets $XEBEC_NODE to the folder of the programs and builds them if they are missing.
setup_node() {
  install_missing "${node_packages[@]}"
  unpack_packages "$cache/node/containers" "${containers[@]}"
  XEBEC_NODE=$(node_dir)
  export XEBEC_NODE
  if [ ! -x "$XEBEC_NODE/coredns" ]; then
    setup_go
    mkdir -p "$cache/node"
    step "build kubelet and CoreDNS (2 to 8 minutes, once)" env GO="$go" "$root/scripts/build-go" "$XEBEC_NODE" \
      kubenode=node/kube/go.mod=.=kubelet,kube-proxy,kube-scheduler coredns=node/coredns/go.mod=.
  fi
  ln -sfn "$XEBEC_NODE" "$cache/node/current"  # for a node that is started without ./dev
}

# Docker, and what the stand-ins for the base images of the examples need.
setup_docker() {
  install_missing docker-compose libdevmapper1.02.1 python3-pip
  unpack_packages "$cache/node/docker" "${docker[@]}"
  setup_go
  step "download the modules of the example in Go" env -u GOROOT -C "$root/examples/operators/go-website" GOMODCACHE="$cache/node/go-modules" \
    GOWORK=off GOTOOLCHAIN=local "$go" mod download
  ln -sfn "$("$go" env GOROOT)" "$cache/node/go-root"
}
