# SPDX-License-Identifier: Apache-2.0
# What only ./dev e2e needs: the programs of a real node and of Docker, from Debian and from Go modules.

node_modules=$root/tests/node
node_packages=(containerd runc containernetworking-plugins iptables conntrack ipset iproute2 util-linux docker-compose tini libdevmapper1.02.1)
docker=$cache/node/docker

node_dir() {
  printf '%s/node/%s' "$cache" "$(content_key "$node_modules"/{kube,coredns}/{go.mod,go.sum,main.go} "$node_modules/build.sh")"
}

# Why no node can be run on this machine; empty where one can.
why_no_node() { PYTHONPATH=$root/tests "$python" -B -m support.enclosure --why-not; }

# Docker's programs are unpacked, not installed: a package would start a daemon on this machine.
setup_docker() {
  [ ! -x "$docker/usr/sbin/dockerd" ] || return 0
  rm -rf "$docker.new"
  mkdir -p "$docker.new/archives"
  step "get Docker" env -C "$docker.new/archives" apt-get -q -o APT::Sandbox::User=root download docker.io
  dpkg-deb -x "$docker.new"/archives/docker.io_*.deb "$docker.new"
  rm -rf "$docker"
  mv "$docker.new" "$docker"
}

# Leaves the folder of what was built in $XEBEC_NODE.
setup_node() {
  local missing
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
