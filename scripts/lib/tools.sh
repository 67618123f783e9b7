# SPDX-License-Identifier: Apache-2.0
# Tools that Debian does not have, built from pinned Go modules and cached outside the source tree.

# Leaves buf's path in $buf.
setup_buf() {
  local module=$root/scripts/tools/buf dir
  dir=$cache/tools/buf-$(content_key "$module/go.mod" "$module/go.sum")
  buf=$dir/buf
  [ ! -x "$buf" ] || return 0
  setup_go
  mkdir -p "$dir"
  step "build buf (a minute or two, once)" env -u GOROOT -C "$module" CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOWORK=off GOTOOLCHAIN=local \
    "$go" build -trimpath -ldflags "-s -w" -o "$buf.new" github.com/bufbuild/buf/cmd/buf
  mv "$buf.new" "$buf"
}
