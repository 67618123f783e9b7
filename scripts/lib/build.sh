# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Configures and builds CMake presets.

presets=(dev release asan-ubsan tsan clang coverage)
# The programs of the image.
programs=(xebec xebec-watcher xebec-planner xebec-applier xebec-hooks xebec-certs)

configure() { # preset
  [ -f "$root/build/$1/build.ninja" ] && return 0  # ninja runs CMake again when a CMake file changes
  step "configure $1" cmake -S "$root" --preset "$1"
}

build() { # preset, targets...
  local preset=$1
  shift
  configure "$preset"
  NINJA_STATUS='[%f/%t] ' step "build $preset" ninja -C "$root/build/$preset" -j "$jobs" "$@"
}

# ./dev build [PRESET] [--tests]
build_command() {
  local preset='' targets=("${programs[@]}") argument
  for argument in "$@"; do
    case $argument in
      --tests) targets=(all) ;;
      -*) die "unknown flag $argument: ./dev build [PRESET] [--tests]" ;;
      *)
        [ -z "$preset" ] || die "unexpected argument $argument: ./dev build [PRESET] [--tests]"
        [[ " ${presets[*]} " == *" $argument "* ]] || die "unknown preset $argument: must be one of ${presets[*]}"
        preset=$argument ;;
    esac
  done
  preset=${preset:-dev}
  setup_packages "${build_packages[@]}"
  case $preset in clang | asan-ubsan) setup_packages "${test_packages[@]}" ;; esac
  build "$preset" "${targets[@]}"
  say "The programs are in build/$preset/bin."
}
