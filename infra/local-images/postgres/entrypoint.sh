#!/usr/bin/env bash
# The features of the official image that this project uses: POSTGRES_PASSWORD, POSTGRES_USER, POSTGRES_DB, POSTGRES_INITDB_ARGS,
# /docker-entrypoint-initdb.d/*.sql and *.sh, and arguments for the server.
set -Eeuo pipefail
[ "${1:0:1}" != - ] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"

if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi

create_cluster() {
  local user=${POSTGRES_USER:-postgres} database
  database=${POSTGRES_DB:-$user}
  : "${POSTGRES_PASSWORD:?set POSTGRES_PASSWORD}"
  # shellcheck disable=SC2086 -- arguments are words
  initdb --username="$user" --pwfile=<(echo "$POSTGRES_PASSWORD") --encoding=UTF8 --locale=C.UTF-8 ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  # Listens on a socket only, so that no client mistakes it for the finished server.
  pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql"
  export PGPASSWORD=$POSTGRES_PASSWORD PGHOST=/var/run/postgresql PGUSER=$user
  [ "$database" = postgres ] || psql --no-psqlrc -v ON_ERROR_STOP=1 -d postgres -c "create database \"$database\""
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    case "$file" in
      *.sh) . "$file" ;;
      *.sql) psql --no-psqlrc -v ON_ERROR_STOP=1 -d "$database" -f "$file" ;;
    esac
  done
  pg_ctl -w -m fast stop
  unset PGPASSWORD PGHOST PGUSER
}

[ -s "$PGDATA/PG_VERSION" ] || create_cluster
shift
exec postgres -c unix_socket_directories=/var/run/postgresql -c "listen_addresses=*" "$@"
