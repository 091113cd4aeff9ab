#!/usr/bin/env bash
# Creates one database and two roles per service; no role can open another database. `orders` owns the schema and migrates, the service runs as
# `orders_runtime`. Passwords come from the environment. May run again, to change passwords or to add what an earlier version did not create:
#   docker compose exec postgres bash /docker-entrypoint-initdb.d/init.sh
set -euo pipefail

run_sql() {
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres
}

# By default every role may connect to these two, and create temporary tables in the first.
run_sql <<<'revoke all on database postgres, template1 from public;'

for service in auth orders invoices webhooks mail usage; do
  migrator=MIGRATION_DATABASE_PASSWORD_${service^^}
  runtime=DATABASE_PASSWORD_${service^^}
  # Passed on standard input, because arguments are visible in the process list.
  run_sql <<SQL
\set migrator_password \`printenv $migrator\`
\set runtime_password \`printenv $runtime\`
select 'create role $service' where not exists (select from pg_roles where rolname = '$service') \gexec
select 'create role ${service}_runtime' where not exists (select from pg_roles where rolname = '${service}_runtime') \gexec
alter role $service login password :'migrator_password';
alter role ${service}_runtime login nosuperuser nocreatedb nocreaterole password :'runtime_password';
select 'create database $service owner $service' where not exists (select from pg_database where datname = '$service') \gexec
revoke all on database $service from public;
grant connect on database $service to ${service}_runtime;
\connect $service
-- Large objects belong to the role that creates them, outside of the schema. Only a superuser can revoke this.
revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public;
SQL
done
