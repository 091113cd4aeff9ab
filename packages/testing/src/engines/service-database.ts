import { Client, type ClientBase, escapeIdentifier, escapeLiteral } from 'pg'

interface ServiceDatabase {
  /** Name of the service, of its database and of the role that owns and migrates it. */
  name: string
  password: string
  /** Also creates the runtime role of the service: `‹name›_runtime`. */
  runtimePassword?: string
}

/** Returns the name of a service's runtime role, which may change rows but not the schema. */
export function runtimeRole(service: string): string {
  return `${service}_runtime`
}

/**
 * Creates each service's roles and its database, which only these roles may open; they may open no other one. May run at every start. The same as
 * `infra/postgres/init.sh`.
 */
export async function ensureDatabases(superuserUrl: string, services: readonly ServiceDatabase[]): Promise<void> {
  await runAs(superuserUrl, async (client) => {
    // By default every role may connect to these two, and create temporary tables in the first.
    await client.query('revoke all on database postgres, template1 from public')
    for (const service of services) await ensureDatabase(client, service)
  })
  for (const { name } of services) await denyLargeObjects(Object.assign(new URL(superuserUrl), { pathname: `/${name}` }).href)
}

/** Large objects belong to the role that creates them, outside of the schema. The URL is that of a superuser and a service's database. */
export function denyLargeObjects(superuserUrl: string): Promise<void> {
  const revocation = 'revoke execute on function lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) from public'
  return runAs(superuserUrl, async (client) => void (await client.query(revocation)))
}

async function runAs(connectionString: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function ensureDatabase(client: Client, { name, password, runtimePassword }: ServiceDatabase): Promise<void> {
  const id = escapeIdentifier(name)
  await ensureRole(client, { name, password })
  const database = await client.query('select from pg_database where datname = $1', [name])
  if (!database.rowCount) await client.query(`create database ${id} owner ${id}`)
  await client.query(`revoke all on database ${id} from public`)
  if (runtimePassword === undefined) return
  await ensureRole(client, { name: runtimeRole(name), password: runtimePassword })
  await client.query(`grant connect on database ${id} to ${escapeIdentifier(runtimeRole(name))}`)
}

/** Creates a role or sets its password. May run at every start. */
export async function ensureRole(client: ClientBase, { name, password }: { name: string; password: string }): Promise<void> {
  const role = await client.query('select from pg_roles where rolname = $1', [name])
  await client.query(`${role.rowCount ? 'alter' : 'create'} role ${escapeIdentifier(name)} login password ${escapeLiteral(password)}`)
}
