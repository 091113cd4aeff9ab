import { Client, escapeIdentifier, escapeLiteral } from 'pg'

interface ServiceDatabase {
  /** Name of the service, of its role and of its database. */
  name: string
  password: string
}

/** Gives each service one role and one database that nobody else may open. May run at every start. */
export async function ensureDatabases(superuserUrl: string, services: readonly ServiceDatabase[]): Promise<void> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    for (const service of services) await ensureDatabase(client, service)
  } finally {
    await client.end()
  }
}

async function ensureDatabase(client: Client, { name, password }: ServiceDatabase): Promise<void> {
  const id = escapeIdentifier(name)
  const role = await client.query('select from pg_roles where rolname = $1', [name])
  await client.query(`${role.rowCount ? 'alter' : 'create'} role ${id} login password ${escapeLiteral(password)}`)
  const database = await client.query('select from pg_database where datname = $1', [name])
  if (!database.rowCount) await client.query(`create database ${id} owner ${id}`)
  await client.query(`revoke all on database ${id} from public`)
}
