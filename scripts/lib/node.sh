# SPDX-License-Identifier: Apache-2.0
# What only ./dev e2e needs: a real node's programs, from Debian and from Go modules.

node_modules=$root/tests/node
node_packages=(containerd runc containernetworking-plugins iptables conntrack ipset iproute2 util-linux)

node_dir() {
  printf '%s/node/%s' "$cache" "$(content_key "$node_modules"/{kube,coredns}/{go.mod,go.sum,main.go} "$node_modules/build.sh")"
}

# Leaves the folder of what was built in $XEBEC_NODE.
setup_node() {
  local missing
  [ "$(id -u)" = 0 ] || die "a node needs root: namespaces, mounts and cgroups"
  mapfile -t missing < <(missing_packages "${node_packages[@]}")
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
  XEBEC_NODE=$(node_dir)
  export XEBEC_NODE
  if [ ! -x "$XEBEC_NODE/coredns" ]; then
    setup_go
    mkdir -p "$cache/node"
    step "build kubelet and CoreDNS (minutes, once)" env GO="$go" "$node_modules/build.sh" "$XEBEC_NODE"
  fi
  ln -sfn "$XEBEC_NODE" "$cache/node/current"  # for a node that is started without ./dev
}
