#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As the usual images of PostgreSQL do: a volume that is empty becomes a cluster with a superuser of the given password. With
# arguments, runs these instead.
set -e
[ $# = 0 ] || exec "$@"
data=${PGDATA:-/var/lib/postgresql/data}
as="setpriv --reuid 999 --regid 999 --clear-groups"
mkdir -p "$data" /var/run/postgresql
chown 999:999 "$data" /var/run/postgresql
chmod 700 "$data"
if [ ! -s "$data/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  chown 999 /tmp/password
  $as initdb --no-sync --no-locale --encoding UTF8 --username postgres --auth scram-sha-256 --pwfile /tmp/password "$data"
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
fi
exec $as postgres -D "$data" -c listen_addresses='*' -c fsync=off
