#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR: builds etcd, the Kubernetes programs and grpcurl from their pinned Go modules into DIR. DIR appears
# only when everything is in it; an interrupted build goes on where it was. $GO names the Go to use (1.26 or newer).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
final=$1
out=$final.partial
go=${GO:-go}
version=v1.36.2
mkdir -p "$out"
export CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOWORK=off GOTOOLCHAIN=local
unset GOROOT

exec 9>"$final.lock"
flock -n 9 || { echo "waiting for another build of the control plane"; flock 9; }
[ ! -d "$final" ] || exit 0

stamp=
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  stamp+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=36"
  stamp+=" -X $package.gitTreeState=clean -X $package.gitCommit=unknown -X $package.buildDate=2026-01-01T00:00:00Z"
done

build() { # name, module folder, package, linker flags
  [ ! -x "$out/$1" ] || return 0
  echo "$1: downloading its modules (elapsed $SECONDS s)"
  (cd "$here/$2" && "$go" mod download -x 2>&1 | grep -c 'zip$' | sed "s/\$/ archives fetched for $1/" || true)
  echo "$1: building (elapsed $SECONDS s)"
  (cd "$here/$2" && "$go" build -trimpath -ldflags "$4" -o "$out/$1.new" "$3")
  mv "$out/$1.new" "$out/$1"
  echo "$1: done (elapsed $SECONDS s)"
}
build etcd etcd go.etcd.io/etcd/server/v3 "-s -w"
build grpcurl grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl "-s -w"
build kubeone kube . "-s -w$stamp"
for name in kube-apiserver kube-controller-manager kubectl; do ln -sf kubeone "$out/$name"; done
mv "$out" "$final"
