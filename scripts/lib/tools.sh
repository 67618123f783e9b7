# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Tools that Debian does not have, built from pinned Go modules and cached outside the source tree.

# go_tool PROGRAM MODULE PACKAGE [LINKER FLAGS]: builds the program if it is missing.
go_tool() {
  [ ! -x "$1" ] || return 0
  setup_go
  step "build ${1##*/} (minutes, once)" env GO="$go" "$root/scripts/go-program" "$1" "$2/go.mod" "$3" "${4:-}"
}

# Sets $buf to the path of buf.
setup_buf() {
  local module=$root/scripts/tools/buf
  buf=$cache/tools/buf-$(content_key "$module"/go.{mod,sum})/buf
  go_tool "$buf" "$module" github.com/bufbuild/buf/cmd/buf
}

# Sets $protoc_gen_go to the folder of protoc's plug-ins for Go.
setup_protoc_gen_go() {
  local module=$root/scripts/tools/protoc-gen-go
  protoc_gen_go=$cache/tools/protoc-gen-go-$(content_key "$module"/go.{mod,sum})
  go_tool "$protoc_gen_go/protoc-gen-go" "$module" google.golang.org/protobuf/cmd/protoc-gen-go
  go_tool "$protoc_gen_go/protoc-gen-go-grpc" "$module" google.golang.org/grpc/cmd/protoc-gen-go-grpc
}

# Builds the peers of the benchmark and links their folder as $cache/tools/peers. setup_peers kopf: with the one on Kopf; setup_peers
# metacontroller: with Metacontroller and its webhook.
setup_peers() { # more peers
  local peers=$root/bench/peers built
  built=$cache/tools/peers-$(content_key "$peers"/{controller-runtime,metacontroller}/{go.{mod,sum},*.go} "$peers/metacontroller/webhook/main.go" \
    "$peers/kopf/requirements.txt")
  go_tool "$built/irisop" "$peers/controller-runtime" .
  if [[ " $* " == *" metacontroller "* ]]; then
    go_tool "$built/metacontroller" "$peers/metacontroller" .
    go_tool "$built/metacontroller-webhook" "$peers/metacontroller" ./webhook
  fi
  if [[ " $* " == *kopf* ]] && [ ! -x "$built/kopf/bin/kopf" ]; then
    setup_packages python3-venv
    "$python" -m venv --clear "$built/kopf"
    step "install Kopf" "$built/kopf/bin/python" -m pip install --requirement "$peers/kopf/requirements.txt"
  fi
  ln -sfn "$built" "$cache/tools/peers"
}

# Builds the hooks of the benchmark and links their folder as $cache/tools/bench-programs.
setup_bench_programs() { setup_sdk_program bench-programs "$root/bench/programs/go-iris"; }

# Builds the examples of operators in Go.
setup_example_programs() { setup_sdk_program example-programs "$root/examples/operators/go-website"; }

# Builds a program that uses the Go SDK into $cache/tools/NAME.
setup_sdk_program() { # name, folder of its module
  local sdk=$root/sdk/go built
  built=$cache/tools/$1-$(content_key "$2"/{go.{mod,sum},main.go} "$sdk"/{go.{mod,sum},*.go,internal/hooksv1/*.go})
  go_tool "$built/${2##*/}" "$2" .
  ln -sfn "$built" "$cache/tools/$1"
}

helm_version() { awk -v module="helm.sh/helm/$1" '$1 == module { print $2 }' "$root/tests/tools/chart/go.mod"; }

# Copies the CRDs of other projects whose objects the chart renders into $cache/tools/crds.
setup_crds_of_others() {
  local module=$root/tests/tools/crds made
  made=$cache/tools/crds-$(content_key "$module"/go.{mod,sum})
  if [ ! -d "$made" ]; then
    setup_go
    step "download the CRDs of cert-manager and of the Prometheus operator" env -u GOROOT -C "$module" GOWORK=off GOTOOLCHAIN=local "$go" mod download
    mkdir -p "$made.new"
    copy_of_module github.com/cert-manager/cert-manager "$made.new" deploy/crds/cert-manager.io_{certificates,issuers}.yaml
    copy_of_module github.com/prometheus-operator/prometheus-operator "$made.new" \
      example/prometheus-operator-crd/monitoring.coreos.com_{podmonitors,servicemonitors,prometheusrules}.yaml
    mv "$made.new" "$made"
  fi
  ln -sfn "$made" "$cache/tools/crds"
}

copy_of_module() { # module, folder, files...
  local source
  source=$(env -u GOROOT -C "$root/tests/tools/crds" GOWORK=off GOTOOLCHAIN=local "$go" list -m -f '{{.Dir}}' "$1")
  (cd "$source" && install -m 644 "${@:3}" "$2/")
}

# Builds Helm 3. Sets $XEBEC_CHART_TOOLS to the folder of the chart's tools and links it as $cache/tools/chart for tests that are started
# without ./dev.
setup_helm() {
  local tools=$root/tests/tools package flags
  XEBEC_CHART_TOOLS=$cache/tools/chart-$(content_key "$tools"/{chart,kube-score}/go.{mod,sum})
  export XEBEC_CHART_TOOLS
  flags="-X helm.sh/helm/v3/internal/version.version=$(helm_version v3)"
  for package in chartutil lint/rules; do  # the Kubernetes version for which Helm 3 renders without a cluster; Helm 4 takes it from its modules
    flags+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=36"
  done
  go_tool "$XEBEC_CHART_TOOLS/helm3" "$tools/chart" helm.sh/helm/v3/cmd/helm "$flags"
  ln -sfn "$XEBEC_CHART_TOOLS" "$cache/tools/chart"
}

# Helm 3 and 4, kubeconform, kube-score and promtool.
setup_chart_tools() {
  local tools=$root/tests/tools
  setup_helm
  go_tool "$XEBEC_CHART_TOOLS/helm4" "$tools/chart" helm.sh/helm/v4/cmd/helm "-X helm.sh/helm/v4/internal/version.version=$(helm_version v4)"
  go_tool "$XEBEC_CHART_TOOLS/kubeconform" "$tools/chart" github.com/yannh/kubeconform/cmd/kubeconform
  go_tool "$XEBEC_CHART_TOOLS/kube-score" "$tools/kube-score" github.com/zegl/kube-score/cmd/kube-score
  unpack_packages "$cache/tools/prometheus" prometheus  # for promtool
  setup_crds_of_others
}
