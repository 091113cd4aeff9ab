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

/** Creates each service's roles and its database, which only these roles may open. May run at every start. */
export async function ensureDatabases(superuserUrl: string, services: readonly ServiceDatabase[]): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    for (const service of services) await ensureDatabase(client, service)
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
