#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR: builds what a node needs beyond the control plane from pinned Go modules into DIR: kubelet, kube-proxy, kube-scheduler
# and CoreDNS. DIR appears only when everything is in it. $GO names the Go to use (1.26 or newer).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
final=$1
out=$final.partial
go=${GO:-go}
version=v1.36.2
mkdir -p "$out"
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false ${XEBEC_GOFLAGS:-}" GOWORK=off GOTOOLCHAIN=local
unset GOROOT

exec 9>"$final.lock"
flock -n 9 || { echo "waiting for another build of the node's programs"; flock 9; }
[ ! -d "$final" ] || exit 0

stamp=
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  stamp+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=36"
  stamp+=" -X $package.gitTreeState=clean -X $package.gitCommit=unknown -X $package.buildDate=2026-01-01T00:00:00Z"
done

build() { # name, module folder, linker flags
  [ ! -x "$out/$1" ] || return 0
  echo "$1: building (elapsed $SECONDS s)"
  (cd "$here/$2" && "$go" build -trimpath -ldflags "$3" -o "$out/$1.new" .)
  mv "$out/$1.new" "$out/$1"
  echo "$1: done (elapsed $SECONDS s)"
}
build kubenode kube "-s -w$stamp"
build coredns coredns "-s -w"
for name in kubelet kube-proxy kube-scheduler; do ln -sf kubenode "$out/$name"; done
mv "$out" "$final"
