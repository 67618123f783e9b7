# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Folders, messages and timed steps, which all scripts of ./dev share.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XEBEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xebec}
logs=$root/build/log
controlplane_modules=$root/tests/controlplane
python=/usr/bin/python3  # Debian's Python, for which python3-pytest and python3-yaml are packaged
jobs=${XEBEC_JOBS:-$(nproc)}
export XEBEC_ROOT=$root XEBEC_CACHE=$cache

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "dev: $*"; exit 1; }

elapsed() { # seconds -> "1 min 05 s"
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Kills the process group $0 when the shell that holds the other end of the input has ended for any reason.
# A line on the input means that the group has ended by itself.
# shellcheck disable=SC2016
watchdog='read -r _ && exit; kill -TERM -- "-$0"; sleep 3; kill -KILL -- "-$0"'

declare -A step_groups=()  # process groups of the running steps
stop_steps() { # stops all steps with all their descendants
  local group
  for group in "${!step_groups[@]}"; do kill -TERM -- "-$group" 2>/dev/null || unset "step_groups[$group]"; done
  for _ in {1..30}; do
    for group in "${!step_groups[@]}"; do kill -0 -- "-$group" 2>/dev/null || unset "step_groups[$group]"; done
    [ ${#step_groups[@]} -gt 0 ] || return 0
    sleep 0.1
  done
  for group in "${!step_groups[@]}"; do kill -KILL -- "-$group" 2>/dev/null || true; done
}
trap 'stop_steps; exit 130' INT
trap 'stop_steps; exit 143' TERM HUP

progress_every=20
show_progress() { # title, seconds, log: updates one line on a terminal; elsewhere prints a line every $progress_every seconds
  local last
  if [ ! -t 1 ]; then
    [ "$2" -gt 0 ] && [ $(($2 % progress_every)) = 0 ] && [ "$1 $2" != "${progress_shown:-}" ] || return 0
    progress_shown="$1 $2"
  fi
  last=$(tail -n 1 "$3" 2>/dev/null | tr -d '\r' | tr -c '[:print:]\n' ' ') || true
  if [ -t 1 ]; then
    printf '\r\033[K  … %s, %s  %s' "$1" "$(elapsed "$2")" "${last:0:$((${COLUMNS:-100} - ${#1} - 22))}"
  else
    printf '  … %s, %s  %s\n' "$1" "$(elapsed "$2")" "${last:0:100}"
  fi
}

# begin_step TITLE COMMAND...: starts the command in its own process group, with its output in a log file. Sets $begun to the
# arguments of await_step: title, process, log, start, the watchdog's input.
begin_step() {
  local title=$1 log pid alive
  shift
  mkdir -p "$logs"
  log=$logs/$(printf '%s' "$title" | tr -cs 'A-Za-z0-9' '-').log
  rm -f "$log.rc"
  # shellcheck disable=SC2016  # the inner shell expands them
  setsid bash -c 'log=$1 rc=0; shift; "$@" || rc=$?; echo "$rc" >"$log.rc"; exit "$rc"' - "$log" "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  step_groups[$pid]=
  exec {alive}> >(exec setsid bash -c "$watchdog" "$pid" >/dev/null 2>&1)
  begun=("$title" "$pid" "$log" "$SECONDS" "$alive")
}

# await_step TITLE PROCESS LOG START WATCHDOG: shows the progress of a step until it ends, and the end of its log if it fails.
# Sets $step_seconds to the seconds until its last output and $step_log to its log.
await_step() {
  local title=$1 pid=$2 begin=$4 alive=$5 rc=0
  step_log=$3
  while [ ! -s "$step_log.rc" ] && kill -0 "$pid" 2>/dev/null; do
    show_progress "$title" $((SECONDS - begin)) "$step_log"
    sleep 0.2
  done
  wait "$pid" 2>/dev/null || rc=$?
  # The shell forgets the status of a step that ended long ago when another process has reused its number.
  [ ! -s "$step_log.rc" ] || rc=$(cat "$step_log.rc")
  { echo ended >&"$alive"; } 2>/dev/null || true
  exec {alive}>&-
  unset "step_groups[$pid]"
  step_seconds=$((SECONDS - begin - ($(date +%s) - $(stat -c %Y "$step_log"))))
  [ "$step_seconds" -ge 0 ] || step_seconds=0
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$rc" = 0 ]; then
    [ "$step_seconds" -lt 2 ] || say "  $title: $(elapsed "$step_seconds")"
  else
    warn "  $title: failed after $(elapsed "$step_seconds"). The end of $step_log:"
    {
      # GoogleTest and pytest report failures anywhere in the log; compilers and linkers report them at its end.
      grep -anE -A5 ': Failure$|^E   ' "$step_log" | head -n 60 || true
      tail -n 60 "$step_log"
    } | cut -c1-300 | sed 's/^/    /' >&2
  fi
  return "$rc"
}

step() { begin_step "$@" && await_step "${begun[@]}"; }
