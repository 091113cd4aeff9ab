import pg from 'pg'

/** Rights of the runtime role on a table, besides reading it. */
export interface TableRights {
  insert: boolean
  /** Columns it may update. */
  update: readonly string[]
  delete: boolean
}

/** Rights of the runtime role that differ from those on ordinary tables. */
export interface RuntimeRights {
  /** Exceptions; every other table allows insert, update and delete. */
  tables?: Readonly<Record<string, TableRights>>
  /** `security definer` functions that the service may call; triggers need no right. */
  functions?: readonly string[]
}

/** Only the migrator records migrations. */
const migrationsTable = { migrations: { insert: false, update: [], delete: false } }

const actsAsOwner = `
  select r.rolsuper or pg_has_role(r.oid, current_user, 'member') as acts_as_owner from pg_roles r where r.rolname = $1`

const relations = `
  select c.relname as name, c.relkind as kind, array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) as columns
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')`

const grantedRights = `
  select c.relname as name, null as column, g.privilege_type as privilege
  from pg_class c cross join aclexplode(c.relacl) g
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and g.grantee = $1::regrole
  union all
  select c.relname, a.attname::text, g.privilege_type
  from pg_class c join pg_attribute a on a.attrelid = c.oid cross join aclexplode(a.attacl) g
  where c.relnamespace = 'public'::regnamespace and g.grantee = $1::regrole`

const closedFunctions = `
  select p.oid::regprocedure::text as signature from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.proname = any ($2) and not has_function_privilege($1, p.oid, 'execute')`

interface Right {
  name: string
  column: string | null
  privilege: string
}

/**
 * Grants the runtime role the rights it needs on the schema `public`, and revokes all others: no right to create, truncate or reference;
 * tables in `rights` get exactly the listed rights. Only differences are written, so it may run at every start and while replicas are
 * running; it covers tables of every migration. The client is the migrator, who owns the objects.
 *
 * @throws Error if the role does not exist, or may act as the migrator: then no grant would restrict it.
 */
export async function grantRuntimeRights(migrator: pg.Client, { role, rights }: { role: string; rights: RuntimeRights }): Promise<void> {
  const { rows } = await migrator.query<{ acts_as_owner: boolean }>(actsAsOwner, [role])
  if (!rows[0]) throw new Error(`The role ${role} of DATABASE_URL does not exist. infra/postgres/init.sh shows how to create it.`)
  if (rows[0].acts_as_owner)
    throw new Error(`The role ${role} of DATABASE_URL is a superuser or a member of the role that migrates. Use one that is neither.`)
  await migrator.query('begin')
  try {
    for (const statement of await differences(migrator, { role, rights })) await migrator.query(statement)
    await migrator.query('commit')
  } catch (error) {
    await migrator.query('rollback')
    throw error
  }
}

async function differences(client: pg.Client, { role, rights }: { role: string; rights: RuntimeRights }): Promise<string[]> {
  const grantee = pg.escapeIdentifier(role)
  const { rows: existing } = await client.query<{ name: string; kind: string; columns: string[] }>(relations)
  const exceptions: Readonly<Record<string, TableRights>> = { ...rights.tables, ...migrationsTable }
  const wantedRights = existing.flatMap(({ name, kind, columns }) => rightsOn({ name, kind, columns }, exceptions[name]))
  const { rows: presentRights } = await client.query<Right>(grantedRights, [grantee])
  const key = ({ name, column, privilege }: Right) => JSON.stringify([name, column, privilege])
  const [wantedKeys, presentKeys] = [new Set(wantedRights.map(key)), new Set(presentRights.map(key))]
  const { rows: functions } = await client.query<{ signature: string }>(closedFunctions, [role, rights.functions ?? []])
  return [
    ...(await schemaStatements(client, role)),
    ...presentRights.filter((each) => !wantedKeys.has(key(each))).map((each) => `revoke ${phrase(each)} from ${grantee}`),
    ...wantedRights.filter((each) => !presentKeys.has(key(each))).map((each) => `grant ${phrase(each)} to ${grantee}`),
    ...functions.map(({ signature }) => `grant execute on function ${signature} to ${grantee}`),
  ]
}

function phrase({ name, column, privilege }: Right): string {
  return `${privilege}${column === null ? '' : ` (${pg.escapeIdentifier(column)})`} on public.${pg.escapeIdentifier(name)}`
}

function rightsOn({ name, kind, columns }: { name: string; kind: string; columns: string[] }, exception: TableRights | undefined): Right[] {
  const onAll = (...privileges: string[]) => privileges.map((privilege) => ({ name, column: null, privilege }))
  if (kind === 'S') return onAll('USAGE', 'SELECT')
  if (kind !== 'r' && kind !== 'p') return onAll('SELECT')
  if (!exception) return onAll('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  return [
    ...onAll('SELECT', ...(exception.insert ? ['INSERT'] : []), ...(exception.delete ? ['DELETE'] : [])),
    // A column of a later migration may not exist yet.
    ...exception.update.filter((column) => columns.includes(column)).map((column) => ({ name, column, privilege: 'UPDATE' })),
  ]
}

async function schemaStatements(client: pg.Client, role: string): Promise<string[]> {
  const { rows } = await client.query<Record<'connects' | 'uses' | 'creates' | 'database', boolean | string>>(
    `select has_database_privilege($1, current_database(), 'connect') as connects, has_schema_privilege($1, 'public', 'usage') as uses,
      has_schema_privilege($1, 'public', 'create') as creates, current_database() as database`,
    [role],
  )
  const { connects, uses, creates, database } = rows[0] as Record<string, boolean | string>
  const grantee = pg.escapeIdentifier(role)
  return [
    ...(connects ? [] : [`grant connect on database ${pg.escapeIdentifier(String(database))} to ${grantee}`]),
    ...(uses ? [] : [`grant usage on schema public to ${grantee}`]),
    // Before PostgreSQL 15 every role may create objects in it.
    ...(creates ? [`revoke create on schema public from public, ${grantee}`] : []),
  ]
}
