import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ensureDatabases } from '@quittance/testing/engines/service-database'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Contender } from '../contender.ts'
import type { Engines } from '../engines.ts'
import { makeTables } from './p1/tables.ts'
import { audience, issuer } from './p1/verify-token.ts'

/** The peers, with the folder of their processes and the flags of their gateway. */
const peers = {
  p1: { folder: 'p1', flags: [] },
  px: { folder: 'p1', flags: ['--forward-bytes', '--remember-tokens', '--own-inbox'] },
  p2: { folder: 'p2', flags: [] },
} as const
export type PeerName = keyof typeof peers
export const peerNames = Object.keys(peers) as PeerName[]

/** The same as for the services of the measured system: a runtime setting is not a design difference. */
const nodeFlags = ['--max-semi-space-size=32']

const database = 'peer'
const password = 'bench'

export interface Peers extends AsyncDisposable {
  contenders: Contender[]
}

/** Starts the selected peers. Each has its own processes; they share one database. */
export async function startPeers(engines: Engines, wanted: readonly PeerName[]): Promise<Peers> {
  const stack = new AsyncDisposableStack()
  if (wanted.length === 0) return { contenders: [], [Symbol.asyncDispose]: () => stack.disposeAsync() }
  const organizationId = crypto.randomUUID()
  await ensureDatabases(engines.postgres.url('postgres'), [{ name: database, password }])
  const databaseUrl = engines.postgres.url(database, { user: database, password })
  const orderIds = await makeTables(databaseUrl, organizationId)
  const { token, publicKey } = await issueToken(organizationId)
  const contenders: Contender[] = []
  try {
    for (const name of wanted) {
      const env = { NAME: name, NATS_SERVER: `127.0.0.1:${engines.nats.port}`, DATABASE_URL: databaseUrl, PUBLIC_KEY: publicKey }
      const { folder, flags } = peers[name]
      const service = stack.use(await startProcess(`${folder}/service.ts`, { args: [], env }))
      const gateway = stack.use(await startProcess(`${folder}/gateway.ts`, { args: flags, env }))
      contenders.push({
        name,
        origin: `http://127.0.0.1:${gateway.port}`,
        token,
        paths: orderIds.map((id) => `/v1/orders/${id}`),
        processes: { gateway: [gateway.pid], service: [service.pid], others: [] },
        launcher: null,
        databases: [database],
      })
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
  return { contenders, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Signs an access token as an authorization server would issue it (RFC 9068). */
async function issueToken(organizationId: string): Promise<{ token: string; publicKey: string }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const token = await new SignJWT({ client_id: 'bench', scope: 'orders:read orders:write', organization_id: organizationId })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(organizationId)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(privateKey)
  return { token, publicKey: JSON.stringify(await exportJWK(publicKey)) }
}

interface PeerProcess extends AsyncDisposable {
  pid: number
  port: number | null
}

async function startProcess(file: string, { args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv }): Promise<PeerProcess> {
  const child = fork(join(import.meta.dirname, file), args, { env: { ...process.env, ...env }, execArgv: nodeFlags })
  const exit = once(child, 'exit')
  const first = await Promise.race([once(child, 'message'), exit.then(() => null)])
  if (!first) throw new Error(`The process ${file} of the peer ended before it was ready.`)
  return {
    pid: child.pid as number,
    port: (first[0] as { port: number | null }).port,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exit
    },
  }
}
