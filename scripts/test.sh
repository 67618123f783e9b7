# SPDX-License-Identifier: Apache-2.0
# ./dev test: every check and test. All of them run, even if some fail.
# shellcheck shell=bash

# The folders that sanitizers, clang's thread-safety analysis and clang-tidy cover in every run. --all covers everything.
folders=(common planner/core planner/kinds planner/hooks applier/engine watcher/engine hooks/engine)

names=() results=() seconds=() counts=()
passed=0 failed=0

# check NAME COMMAND...: runs a step and records its result. A step of ctest or pytest counts as many tests as its output says.
check() { begin_step "$@" && finish_check "${begun[@]}"; }

# finish_check BEGUN...: waits for a step that was begun and records its result.
finish_check() {
  local name=$1 rc=0 counted good bad
  await_step "$@" || rc=1
  counted=$("$python" "$root/scripts/count_tests.py" "$step_log" "$rc")
  read -r good bad <<<"$counted"
  passed=$((passed + good)) failed=$((failed + bad))
  names+=("$name") seconds+=("$step_seconds") counts+=("$good/$((good + bad))")
  if [ "$bad" = 0 ]; then results+=(ok); else results+=(FAILED); fi
  return "$rc"
}

# finish_if_begun [BEGUN...]: the same for a step that may not have begun. Never fails.
finish_if_begun() { [ $# = 0 ] || finish_check "$@" || true; }

quick_checks() {
  local check
  for check in format includes ordered spdx sizes banned hosts shell prose docs proto; do check "$check" "$root/.ci/$check" || true; done
}

# Each worker has a control plane of its own. These tests wait more than they compute, so several workers run at once.
begin_integration() { # preset, workers
  begin_step "integration tests ($1)" env PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 XEBEC_PRESET="$1" \
    "TSAN_OPTIONS=suppressions=$root/tests/tsan.supp" "$python" -m pytest \
    -c "$root/tests/pytest.ini" --rootdir "$root/tests" --numprocesses "$2" --dist loadfile --durations 15 "$root/tests/integration"
}

# begin_node FACTOR ARGUMENTS: begins the tests of chart and image on a real node, if this machine can run one.
begin_node() {
  local reason factor=${XEBEC_TIMEOUT_FACTOR:-$1}
  shift
  begun=()
  if ! reason=$(why_no_node); then
    reason="run $root/dev e2e for the reason"
  elif [ -z "$reason" ]; then
    setup_node
    reason=$(why_no_node) || true
  fi
  if [ -z "$reason" ]; then
    begin_step "a real node" env "XEBEC_TIMEOUT_FACTOR=$factor" "$root/dev" e2e "$@"
  else
    say "  a real node: skipped, $reason"
    names+=("a real node") seconds+=(0) counts+=("-") results+=("skipped: $reason")
  fi
}

# Two targets run at a time; each has one thread.
fuzz() { # seconds for each target
  local target before=()
  for target in "$root"/build/asan-ubsan/bin/fuzz_*; do
    begin_step "fuzz $(basename "$target" | sed s/^fuzz_//)" "$root/scripts/fuzz" "$target" "$1"
    if [ ${#before[@]} = 0 ]; then
      before=("${begun[@]}")
    else
      finish_check "${before[@]}" || true
      finish_check "${begun[@]}" || true
      before=()
    fi
  done
  finish_if_begun "${before[@]}"
}

check_build() { # preset, targets...: fails if the build fails
  local preset=$1
  shift
  configure "$preset" || true
  NINJA_STATUS='[%f/%t] ' check "build $preset" ninja -C "$root/build/$preset" -j "$jobs" "$@"
}

# One build serves four checks: clang's thread-safety analysis, the sanitizers, clang-tidy (with its compile commands), the fuzz targets.
clang_checks() {
  check_build asan-ubsan "${folders[@]/%//all}" tests/fuzz/all || return 0
  check "unit tests under the sanitizers" "$root/scripts/ctest-parts" asan-ubsan "${folders[@]}" || true
  check "clang-tidy" "$root/.ci/tidy" asan-ubsan || true
  fuzz 5
}

# The integration tests and the node take longest and mostly wait, so everything that only computes runs at the same time. XEBEC_TIMEOUT_FACTOR
# allows for the load.
test_usual() {
  local integration=() node=()
  quick_checks
  if check_build dev; then
    XEBEC_TIMEOUT_FACTOR=${XEBEC_TIMEOUT_FACTOR:-4} begin_integration dev 4
    integration=("${begun[@]}")
    check "unit tests" ctest --preset dev -j "$jobs" || true
    check "purity of the engines" "$root/.ci/purity" dev || true
    check "hardening of the binaries" "$root/.ci/hardening" dev || true
    check "release artifacts" "$python" -B -m pytest -c "$root/tests/pytest.ini" --rootdir "$root/tests" "$root/tests/release" || true
  fi
  check "SDKs and example operators" "$root/.ci/sdk" || true
  check chart "$root/.ci/chart" || true
  begin_node 6 --brief
  node=("${begun[@]}")
  clang_checks
  finish_if_begun "${node[@]}"
  finish_if_begun "${integration[@]}"
}

# In this order. Each can be run alone.
all_parts=(checks dev versions release node asan-ubsan tsan clang coverage)

# The integration tests that run against every supported minor version of Kubernetes.
important=(iris podset immortal database deletion crds quiescence paged_lists other_writers kubectl)

# The important integration tests against the other minor versions. dev has the one that all other tests use.
test_versions() {
  local minor usual name files=()
  for name in "${important[@]}"; do files+=("$root/tests/integration/test_$name.py"); done
  setup_controlplane
  usual=$XEBEC_CONTROLPLANE
  check_build dev "${programs[@]}" || return 0
  for minor in $(other_minors); do
    XEBEC_CONTROLPLANE=$usual
    setup_minor "$minor"
    check "integration tests (Kubernetes $minor)" env PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 XEBEC_PRESET=dev \
      XEBEC_TIMEOUT_FACTOR="${XEBEC_TIMEOUT_FACTOR:-4}" "$python" -m pytest -c "$root/tests/pytest.ini" --rootdir "$root/tests" --numprocesses 2 \
      --dist loadfile "${files[@]}" || true
  done
  XEBEC_CONTROLPLANE=$usual
}

# record PART: writes the results of the part to docs/testing.md when it ends; the other parts may take hours.
record() {
  summary >"$logs/summary.txt"
  "$python" "$root/scripts/record_result.py" "$root/docs/testing.md" "$logs/summary.txt" "$commit" "$1"
}

# end_integration PART BEGUN...: waits for the integration tests of a part, which are its last step.
end_integration() {
  local part=$1
  shift
  [ $# != 0 ] || return 0
  finish_check "$@" || true
  [ "$part" != coverage ] || check "coverage" "$root/scripts/coverage" || true
  record "$part"
}

# The integration tests of a preset run while the next part builds.
test_all() { # parts...
  local part earlier='' beside=()
  for part in "$@"; do
    case $part in
      checks) quick_checks; check "SDKs and example operators" "$root/.ci/sdk" || true; check chart "$root/.ci/chart" || true; record checks; continue ;;
      versions) test_versions; record versions; continue ;;
      node) begin_node 6; finish_if_begun "${begun[@]}"; record node; continue ;;
    esac
    check_build "$part" || { record "$part"; continue; }
    check "unit tests ($part)" ctest --preset "$part" -j "$jobs" || true
    case $part in
      dev) check "purity of the engines" "$root/.ci/purity" dev || true ;;
      release)
        setup_peers
        setup_bench_programs
        check "hardening of the binaries" "$root/.ci/hardening" release || true ;;
      clang) check "clang-tidy" "$root/.ci/tidy" clang --everything || true ;;
      asan-ubsan) fuzz 60 ;;
    esac
    end_integration "$earlier" "${beside[@]}"
    XEBEC_TIMEOUT_FACTOR=6 begin_integration "$part" 3
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
        printf '%s\n' "${all_parts[@]}" | grep -qxF "$part" || die "unknown part $part of ./dev test --all: must be one of ${all_parts[*]}"
      done
      [ $# != 0 ] || set -- "${all_parts[@]}"
      ;;
    '') ;;
    *) die "unknown flag $1 of ./dev test" ;;
  esac
  cd "$root" || die "cannot change to $root"
  commit=$(git describe --always --dirty=" with changes" 2>/dev/null) || commit="no commit"
  "test_$mode" "$@"
  summary
  printf '\nTotal time %s on commit %s.\n%d passed, %d failed\n' "$(elapsed $((SECONDS - begin)))" "$commit" "$passed" "$failed"
  [ "$failed" = 0 ]
}
