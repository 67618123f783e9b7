# SPDX-License-Identifier: Apache-2.0
# ./dev test: every check and test. Each line of the plan below asks one question; all are asked, whatever the others answer.
# shellcheck shell=bash

# What sanitizers, clang's thread-safety analysis and clang-tidy look at in every run (--all: everything).
parts=(common planner/core planner/kinds applier/engine watcher/engine)

names=() results=() seconds=() counts=()
passed=0 failed=0

# ask NAME COMMAND...: runs a step and books its result. A step whose output counts tests (ctest, pytest, .ci) counts as many.
ask() { begin_step "$@" && answer "${begun[@]}"; }

# answer BEGUN...: waits for a step that was begun, and books it.
answer() {
  local name=$1 rc=0 counted good bad
  await_step "$@" || rc=1
  counted=$("$python" "$root/scripts/count_tests.py" "$step_log" "$rc")
  read -r good bad <<<"$counted"
  passed=$((passed + good)) failed=$((failed + bad))
  names+=("$name") seconds+=("$step_seconds") counts+=("$good/$((good + bad))")
  if [ "$bad" = 0 ]; then results+=(ok); else results+=(FAILED); fi
  return "$rc"
}

# finish BEGUN...: the same of one that may not have begun, or that may fail.
finish() { [ $# = 0 ] || answer "$@" || true; }

quick_checks() {
  local check
  for check in format includes ordered spdx sizes banned hosts shell proto; do ask "$check" "$root/.ci/$check" || true; done
}

# Workers, each with a control plane of its own: these tests wait more than they compute.
begin_integration() { # preset, workers
  begin_step "integration tests ($1)" env PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 XEBEC_PRESET="$1" \
    "TSAN_OPTIONS=suppressions=$root/tests/tsan.supp" "$python" -m pytest \
    -c "$root/tests/pytest.ini" --rootdir "$root/tests" --numprocesses "$2" --dist loadfile --durations 15 "$root/tests/integration"
}

# begin_node PATIENCE ARGUMENTS: the chart and the image on a real node; containers that run us may not be allowed to run one.
begin_node() {
  local reason patience=${XEBEC_PATIENCE:-$1}
  shift
  begun=()
  if ! reason=$(why_no_node); then
    reason="$root/dev e2e tells why"
  elif [ -z "$reason" ]; then
    setup_node
    reason=$(why_no_node) || true
  fi
  if [ -z "$reason" ]; then
    begin_step "a real node" env "XEBEC_PATIENCE=$patience" "$root/dev" e2e "$@"
  else
    say "  a real node: left out, $reason"
    names+=("a real node") seconds+=(0) counts+=("-") results+=("left out: $reason")
  fi
}

# Two at a time: each has one thread.
fuzz() { # seconds for each target
  local target before=()
  for target in "$root"/build/asan-ubsan/bin/fuzz_*; do
    begin_step "fuzz $(basename "$target" | sed s/^fuzz_//)" "$root/scripts/fuzz" "$target" "$1"
    if [ ${#before[@]} = 0 ]; then
      before=("${begun[@]}")
    else
      answer "${before[@]}" || true
      answer "${begun[@]}" || true
      before=()
    fi
  done
  finish "${before[@]}"
}

ask_build() { # preset, targets...: false when it cannot be built
  local preset=$1
  shift
  configure "$preset" || true
  NINJA_STATUS='[%f/%t] ' ask "build $preset" ninja -C "$root/build/$preset" -j "$jobs" "$@"
}

# One build answers four questions: clang's thread-safety analysis, the sanitizers, clang-tidy (by its commands), the fuzz targets.
clang_parts() {
  ask_build asan-ubsan "${parts[@]/%//all}" tests/fuzz/all || return 0
  ask "unit tests under the sanitizers" "$root/scripts/ctest-parts" asan-ubsan "${parts[@]}" || true
  ask "clang-tidy" "$root/.ci/tidy" asan-ubsan || true
  fuzz 5
}

# The integration tests take longest and wait most of the time, and so does the node: all that only computes runs beside them, with the
# patience that this takes.
test_usual() {
  local integration=() node=()
  quick_checks
  if ask_build dev; then
    XEBEC_PATIENCE=${XEBEC_PATIENCE:-4} begin_integration dev 4
    integration=("${begun[@]}")
    ask "unit tests" ctest --preset dev -j "$jobs" || true
    ask "purity of the engines" "$root/.ci/purity" dev || true
    ask "hardening of the binaries" "$root/.ci/hardening" dev || true
  fi
  ask chart "$root/.ci/chart" || true
  begin_node 6 --brief
  node=("${begun[@]}")
  clang_parts
  finish "${node[@]}"
  finish "${integration[@]}"
}

# In this order; each is a run of its own where time is short.
all_parts=(checks dev release node asan-ubsan tsan clang coverage)

# record PART: what came of it goes into docs/testing.md at once; hours may pass until all have ended.
record() {
  summary >"$logs/summary.txt"
  "$python" "$root/scripts/record_result.py" "$root/docs/testing.md" "$logs/summary.txt" "$commit" "$1"
}

# end_integration PART BEGUN...: waits for a part's integration tests, which are its last.
end_integration() {
  local part=$1
  shift
  [ $# != 0 ] || return 0
  answer "$@" || true
  [ "$part" != coverage ] || ask "coverage" "$root/scripts/coverage" || true
  record "$part"
}

# The integration tests of a preset run beside the next part, which computes.
test_all() { # parts...
  local part earlier='' beside=()
  for part in "$@"; do
    case $part in
      checks) quick_checks; ask chart "$root/.ci/chart" || true; record checks; continue ;;
      node) begin_node 6; finish "${begun[@]}"; record node; continue ;;
    esac
    ask_build "$part" || { record "$part"; continue; }
    ask "unit tests ($part)" ctest --preset "$part" -j "$jobs" || true
    case $part in
      dev) ask "purity of the engines" "$root/.ci/purity" dev || true ;;
      release) ask "hardening of the binaries" "$root/.ci/hardening" release || true ;;
      clang) ask "clang-tidy" "$root/.ci/tidy" clang --everything || true ;;
      asan-ubsan) fuzz 60 ;;
    esac
    end_integration "$earlier" "${beside[@]}"
    XEBEC_PATIENCE=6 begin_integration "$part" 3
    earlier=$part beside=("${begun[@]}")
  done
  end_integration "$earlier" "${beside[@]}"
}

summary() {
  local number
  printf '\n%-44s %-10s %12s  %s\n' check tests time result
  for number in "${!names[@]}"; do
    printf '%-44s %-10s %12s  %s\n' "${names[number]}" "${counts[number]}" "$(elapsed "${seconds[number]}")" "${results[number]}"
  done
}

run_tests() {
  local begin=$SECONDS mode=usual commit part
  case "${1:-}" in
    --all)
      mode=all
      shift
      for part in "$@"; do
        printf '%s\n' "${all_parts[@]}" | grep -qxF "$part" || die "unknown part of ./dev test --all: $part; there are ${all_parts[*]}"
      done
      [ $# != 0 ] || set -- "${all_parts[@]}"
      ;;
    '') ;;
    *) die "unknown option of ./dev test: $1" ;;
  esac
  cd "$root" || die "$root is gone"
  commit=$(git describe --always --dirty=" with changes" 2>/dev/null) || commit="no commit"
  "test_$mode" "$@"
  summary
  printf '\nAll in %s on commit %s.\n%d passed, %d failed\n' "$(elapsed $((SECONDS - begin)))" "$commit" "$passed" "$failed"
  [ "$failed" = 0 ]
}
