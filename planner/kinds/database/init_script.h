// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace xebec::planner {

/// The script of the default init Job, for any image with a POSIX shell. It waits until the port
/// accepts connections, if the image has a tool to check that, and creates the database if it is
/// missing and the image contains psql. It may run more than once.
inline constexpr std::string_view kInitScript = R"(#!/bin/sh
set -eu

answers() {
  if command -v pg_isready >/dev/null 2>&1; then
    pg_isready -q -h "$DATABASE_HOST" -p "$DATABASE_PORT"
  elif command -v nc >/dev/null 2>&1; then
    nc -z -w 2 "$DATABASE_HOST" "$DATABASE_PORT"
  elif command -v bash >/dev/null 2>&1; then
    bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$DATABASE_HOST" "$DATABASE_PORT" 2>/dev/null
  fi
}

tries=0
until answers; do
  tries=$((tries + 1))
  if [ "$tries" -ge 150 ]; then
    echo "$DATABASE_HOST:$DATABASE_PORT does not answer" >&2
    exit 1
  fi
  sleep 2
done

command -v psql >/dev/null 2>&1 || exit 0
export PGPASSWORD="$DATABASE_PASSWORD"
run() {
  psql -X -q -A -t -v ON_ERROR_STOP=1 -v name="$DATABASE_NAME" -h "$DATABASE_HOST" -p "$DATABASE_PORT" \
    -U "${POSTGRES_USER:-postgres}" -d postgres
}
found=$(echo "SELECT 1 FROM pg_database WHERE datname = :'name'" | run)
[ "$found" = 1 ] || echo 'CREATE DATABASE :"name"' | run
)";

}  // namespace xebec::planner
