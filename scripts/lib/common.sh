# SPDX-License-Identifier: Apache-2.0
# What every part of ./dev shares: folders, messages and steps that show how long they take.
# Sourced by ./dev and by the scripts in scripts/.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XEBEC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xebec}
logs=$root/build/log
controlplane_modules=$root/tests/controlplane
python=/usr/bin/python3  # Debian's, the one that python3-pytest and python3-yaml are for
jobs=${XEBEC_JOBS:-$(nproc)}
export XEBEC_ROOT=$root XEBEC_CACHE=$cache

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() { warn "dev: $*"; exit 1; }

elapsed() { # seconds -> "1 min 05 s"
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Kills the process group $1 as soon as the shell that holds the other end of our input has gone, however it went.
# A line on the input says that the group has ended by itself.
# shellcheck disable=SC2016
watchdog='read -r _ && exit; kill -TERM -- "-$0"; sleep 3; kill -KILL -- "-$0"'

step_group=
stop_step() { # the step that runs now, with all its descendants
  [ -n "$step_group" ] || return 0
  kill -TERM -- "-$step_group" 2>/dev/null || return 0
  for _ in {1..30}; do kill -0 -- "-$step_group" 2>/dev/null || return 0; sleep 0.1; done
  kill -KILL -- "-$step_group" 2>/dev/null || true
}
trap 'stop_step; exit 130' INT
trap 'stop_step; exit 143' TERM HUP

show_progress() { # title, seconds, log: one ticking line on a terminal, a line every 20 s elsewhere
  local last
  last=$(tail -n 1 "$3" 2>/dev/null | tr -d '\r' | tr -c '[:print:]\n' ' ') || true
  if [ -t 1 ]; then
    printf '\r\033[K  … %s, %s  %s' "$1" "$(elapsed "$2")" "${last:0:$((${COLUMNS:-100} - ${#1} - 22))}"
  elif [ "$2" -gt 0 ] && [ $(($2 % 20)) = 0 ] && [ "$2" != "${progress_shown:-}" ]; then
    progress_shown=$2
    printf '  … %s, %s  %s\n' "$1" "$(elapsed "$2")" "${last:0:100}"
  fi
}

# step TITLE COMMAND...: runs the command in a process group of its own, output to a file, and shows for how long it has been
# running. Prints the output's end when the command fails. The seconds it took are left in $step_seconds.
step() {
  local title=$1 log begin=$SECONDS pid alive rc=0
  shift
  mkdir -p "$logs"
  log=$logs/$(printf '%s' "$title" | tr -cs 'A-Za-z0-9' '-').log
  setsid "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  step_group=$pid
  exec {alive}> >(exec setsid bash -c "$watchdog" "$pid" >/dev/null 2>&1)
  while kill -0 "$pid" 2>/dev/null; do
    show_progress "$title" $((SECONDS - begin)) "$log"
    sleep 0.2
  done
  wait "$pid" || rc=$?
  echo ended >&"$alive" 2>/dev/null || true
  exec {alive}>&-
  step_group=
  step_seconds=$((SECONDS - begin))
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$rc" = 0 ]; then
    [ "$step_seconds" -lt 2 ] || say "  $title: $(elapsed "$step_seconds")"
  else
    warn "  $title: failed after $(elapsed "$step_seconds"); the end of $log:"
    tail -n "${STEP_TAIL:-60}" "$log" | sed 's/^/    /' >&2
  fi
  step_log=$log
  return "$rc"
}
