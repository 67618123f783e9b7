# SPDX-License-Identifier: Apache-2.0
# Tools that Debian does not have, built from pinned Go modules and cached outside the source tree.

# go_tool NAME MODULE PACKAGE [LINKER FLAGS]: leaves the path of the program in $tool, building it where it is missing.
go_tool() {
  local name=$1 module=$2 package=$3 dir
  dir=$cache/tools/$name-$(content_key "$module/go.mod" "$module/go.sum")
  tool=$dir/$name
  [ ! -x "$tool" ] || return 0
  setup_go
  mkdir -p "$dir"
  step "build $name (minutes, once)" env -u GOROOT -C "$module" CGO_ENABLED=0 "GOFLAGS=-buildvcs=false ${XEBEC_GOFLAGS:-}" GOWORK=off \
    GOTOOLCHAIN=local "$go" build -trimpath -ldflags "-s -w ${4:-}" -o "$tool.new" "$package"
  mv "$tool.new" "$tool"
}

# Leaves buf's path in $buf.
setup_buf() {
  go_tool buf "$root/scripts/tools/buf" github.com/bufbuild/buf/cmd/buf
  buf=$tool
}

# Leaves Helm's path in $XEBEC_HELM, and in $cache/tools/helm for tests that are started without ./dev.
setup_helm() {
  local package flags="-X helm.sh/helm/v3/internal/version.version=v3.22.0"
  for package in chartutil lint/rules; do  # the Kubernetes that a chart is rendered for where there is none
    flags+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=36"
  done
  go_tool helm "$root/tests/tools/helm3" helm.sh/helm/v3/cmd/helm "$flags"
  export XEBEC_HELM=$tool
  ln -sfn "$tool" "$cache/tools/helm"
}
