# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What only a real node needs: its programs, from Debian and from Go modules.

node_modules=$root/tests/node
node_packages=(iptables conntrack ipset iproute2 util-linux libseccomp2)
# These are unpacked, not installed: their packages would start daemons on this machine.
containers=(containerd runc containernetworking-plugins)
docker=(docker.io tini)

# Why no node can be run on this machine; empty where one can.
why_no_node() { PYTHONPATH=$root/tests "$python" -B -m support.enclosure --why-not; }

node_dir() {
  printf '%s/node/%s' "$cache" "$(content_key "$node_modules"/{kube,coredns}/{go.mod,go.sum,main.go} "$node_modules/build.sh")"
}

install_missing() { # names
  local missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
}

# Leaves the folder of what was built in $XEBEC_NODE.
setup_node() {
  install_missing "${node_packages[@]}"
  unpack_packages "$cache/node/containers" "${containers[@]}"
  XEBEC_NODE=$(node_dir)
  export XEBEC_NODE
  if [ ! -x "$XEBEC_NODE/coredns" ]; then
    setup_go
    mkdir -p "$cache/node"
    step "build kubelet and CoreDNS (minutes, once)" env GO="$go" "$node_modules/build.sh" "$XEBEC_NODE"
  fi
  ln -sfn "$XEBEC_NODE" "$cache/node/current"  # for a node that is started without ./dev
}

setup_docker() {
  install_missing docker-compose libdevmapper1.02.1
  unpack_packages "$cache/node/docker" "${docker[@]}"
}
