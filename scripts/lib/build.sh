# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Configure and build with CMake presets.

# What is in the image.
programs=(xebec xebec-watcher xebec-planner xebec-applier xebec-certs)

configure() { # preset
  [ -f "$root/build/$1/build.ninja" ] && return 0  # ninja itself runs CMake again when a CMake file changes
  step "configure $1" cmake -S "$root" --preset "$1"
}

build() { # preset, targets...
  local preset=$1
  shift
  configure "$preset"
  NINJA_STATUS='[%f/%t] ' step "build $preset" ninja -C "$root/build/$preset" -j "$jobs" "$@"
}
