#!/bin/bash
# PostgreSQL first, then FerretDB, which opens MongoDB's port; both end with the container, FerretDB first.
set -euo pipefail

data=/data/db/postgres
if [ ! -s "$data/PG_VERSION" ]; then
  rm -rf "$data.building"
  initdb -D "$data.building" -A trust -U postgres --locale=C.UTF-8 -E UTF8 > /dev/null
  mv "$data.building" "$data"
fi
# A killed container leaves it behind, and in the next one its process id belongs to somebody else.
rm -f "$data/postmaster.pid"

stop() {
  trap '' TERM INT
  [ -z "${ferretdb:-}" ] || { kill -TERM "$ferretdb" && wait "$ferretdb"; } || true
  kill -INT "$postgres" && wait "$postgres" || true
  exit "${1:-0}"
}

postgres -D "$data" -c config_file=/etc/gateway/postgresql.conf -c hba_file="$data/pg_hba.conf" -c ident_file="$data/pg_ident.conf" &
postgres=$!
trap stop TERM INT

for ((try = 1; ; try++)); do
  statement='set client_min_messages = warning; create extension if not exists documentdb cascade'
  psql -h 127.0.0.1 -U postgres -d postgres -v ON_ERROR_STOP=1 -qc "$statement" 2> /tmp/psql.log && break
  kill -0 "$postgres" && [ "$try" -lt 600 ] || { cat /tmp/psql.log >&2; stop 1; }
  sleep 0.2
done

mkdir -p /data/db/ferretdb
ferretdb --postgresql-url='postgres://postgres@127.0.0.1:5432/postgres?pool_max_conns=100' --listen-addr=0.0.0.0:27017 \
  --state-dir=/data/db/ferretdb --no-auth --telemetry=disable --debug-addr=- --log-level=warn &
ferretdb=$!

# Whichever ends first by itself takes the other along.
wait -n "$postgres" "$ferretdb" || true
stop 1
