import { connect } from 'node:net'
import { findNatsUrlFault, splitNatsUrls } from '@quittance/runtime/nats-urls'
import { Client } from 'pg'
import { databaseOwners } from '../secrets/secret-list.ts'
import { findDumpProblem } from './dump-version.ts'
import { missing, ok, warning, type Finding } from './finding.ts'

const patienceMs = 5_000

/** Checks whether the servers that the environment names respond. */
export async function checkServers(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const databases = databaseOwners.flatMap((owner) => {
    const name = `DATABASE_URL_${owner.toUpperCase()}`
    const { [name]: url, [`MIGRATION_${name}`]: migrationUrl } = environment
    if (!url) return []
    // Beside a role that migrates, the other one needs no right to create.
    return [
      checkDatabase(name, { url, migrates: !migrationUrl }),
      ...(migrationUrl ? [checkDatabase(`MIGRATION_${name}`, { url: migrationUrl, migrates: true })] : []),
    ]
  })
  const nats = (environment['NATS_URL'] ?? '').split(',').filter(Boolean)
  return Promise.all([...databases, ...nats.flatMap(splitNatsUrls).map(checkNats)])
}

/** Earlier versions of PostgreSQL lack features that migrations use. */
const oldestPostgres = 15

async function checkDatabase(name: string, { url, migrates }: { url: string; migrates: boolean }): Promise<Finding> {
  if (!URL.canParse(url)) return missing(name, 'not a URL', 'Correct it: postgres://ROLE:PASSWORD@HOST:5432/DATABASE.')
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patienceMs, application_name: 'quittance doctor' })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; may_create: boolean }>(
      `select current_setting('server_version') as version, has_schema_privilege('public', 'create') as may_create`,
    )
    const { version, may_create: mayCreate } = rows[0] as { version: string; may_create: boolean }
    if (Number.parseInt(version, 10) < oldestPostgres)
      return missing(name, `PostgreSQL ${version}`, `Version ${oldestPostgres} or later is needed.`)
    if (migrates && !mayCreate)
      return missing(
        name,
        'the role may not create tables',
        'Name the role that migrates (MIGRATION_DATABASE_URL_…), or let this one own the database: alter database … owner to ….',
      )
    // The role that migrates owns all tables, so it is also the one that dumps them.
    return (migrates && findDumpProblem(name, { serverVersion: version, isEmbedded: false })) || ok(name, `PostgreSQL ${version}`)
  } catch (error) {
    return missing(
      name,
      `does not respond: ${(error as Error).message}`,
      'Start it, or correct the URL. infra/postgres/init.sh creates roles and databases.',
    )
  } finally {
    await client.end().catch(() => {})
  }
}

/** A NATS server sends the first message, with TLS too. */
async function checkNats(url: string): Promise<Finding> {
  const parsed = URL.parse(url)
  const fault = parsed ? findNatsUrlFault(url) : 'not a URL'
  if (!parsed || fault) return missing('NATS_URL', `${fault}`, 'Correct it: nats://USER:PASSWORD@HOST:4222, several separated by commas.')
  const place = `${parsed.hostname}:${parsed.port || 4222}`
  const greeting = await readGreeting({ host: parsed.hostname.replaceAll(/[[\]]/g, ''), port: Number(parsed.port || 4222) })
  if (greeting instanceof Error || !greeting.startsWith('INFO ')) {
    const message = greeting instanceof Error ? greeting.message : 'not a NATS server'
    return missing(`NATS at ${place}`, `does not respond: ${message}`, 'Start it with infra/nats.conf, or correct NATS_URL.')
  }
  const { version, ...offered } = JSON.parse(greeting.slice(5).split('\r\n')[0] ?? '{}') as Greeting
  if (parsed.protocol === 'tls:' && !offered.tls_required && !offered.tls_available)
    return missing(`NATS at ${place}`, `${version} without TLS`, 'Configure tls { … } of the server, or write nats:// in NATS_URL.')
  if (!offered.jetstream) return missing(`NATS at ${place}`, `${version} without JetStream`, 'Start it with -js, or with infra/nats.conf.')
  return /^2\.\d\./.test(version)
    ? warning(
        `NATS at ${place}`,
        version,
        'Update it: before 2.10, a replica that hangs gets its share of requests until its process ends.',
      )
    : ok(`NATS at ${place}`, version)
}

/** What is read of the first message of a NATS server. */
interface Greeting {
  version: string
  jetstream?: boolean
  tls_required?: boolean
  tls_available?: boolean
}

/** Returns the first line. The socket is closed in any case: a server that hangs must not keep the command from ending. */
function readGreeting({ host, port }: { host: string; port: number }): Promise<string | Error> {
  const socket = connect({ host, port, timeout: patienceMs })
  let received = ''
  return new Promise<string | Error>((resolve) => {
    socket.on('data', (bytes) => {
      received += bytes.toString()
      if (received.includes('\n')) resolve(received)
    })
    socket.once('error', resolve)
    socket.once('timeout', () => resolve(new Error('timeout')))
    socket.once('close', () => resolve(new Error('connection closed without a message')))
  }).finally(() => socket.destroy())
}
