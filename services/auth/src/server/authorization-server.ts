import { hkdfSync } from 'node:crypto'
import { scopes } from '@quittance/contracts/scopes'
import { job, type Job } from '@quittance/runtime/handler'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { acceptsClientDocuments } from '../clients/client-document.ts'
import { createClientDocuments } from '../clients/client-documents.ts'
import { config } from '../config.ts'
import { ensureSigningKeys, readSigningKeys } from '../keys/signing-keys.ts'
import { createAdapter } from '../provider/adapter.ts'
import { clientStore } from '../provider/client-store.ts'
import { addProtocolMiddleware } from '../provider/protocol-middleware.ts'
import { createJwtAccessTokens } from '../provider/jwt-access-tokens.ts'
import { createProvider } from '../provider/provider.ts'
import { createRevocation } from '../provider/revocation.ts'
import { createAttemptLimits } from '../sign-in/attempt-limits.ts'
import { createSignedState } from '../sign-in/signed-state.ts'
import { createSignIn } from '../sign-in/password-sign-in.ts'
import { createApp } from './app.ts'
import { createCsrf } from '../web/csrf.ts'
import { createTransactionRunner } from '../transaction-runner.ts'

/** Limits the delay of a new key after a lost wake-up; keys are published for longer before they sign. */
const keysReadEveryMs = 60_000
/** Limits the memory of cached clients. */
const clientsKeptMs = 3_600_000

/**
 * Starts the authorization server. New keys replace the provider without interruption: tokens, sessions and pending requests are in the
 * database.
 */
export async function startAuthorizationServer({ database, log }: ServiceResources): Promise<ServiceComponent> {
  if (!database) throw new Error('The authorization server needs a database')
  const { BASE_URL: baseUrl, AUTH_URL: authUrl, SECRETS_KEY: secrets } = config()
  const systemSql = createSystemSql(database, 'pages and protocol find rows by a session, a secret or a user')
  const inTransaction = createTransactionRunner(database, log)
  const revocation = createRevocation(inTransaction)
  const clients = clientStore(systemSql, new Set(scopes), createClientDocuments(systemSql, inTransaction))
  const adapter = createAdapter({ systemSql, revocation, clients: clients.adapter })
  await ensureSigningKeys(systemSql, secrets)
  let signingKeys = await readSigningKeys(systemSql, secrets)
  let provider = build()

  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secrets[0] as Uint8Array, '', `quittance auth: ${use}`, 32))

  function build() {
    const built = createProvider({ baseUrl, adapter, systemSql, signingKeys, secrets })
    const jwtAccessTokens = createJwtAccessTokens({ issuer: baseUrl, signingKeys, systemSql, inTransaction })
    addProtocolMiddleware(built, { systemSql, log, jwtAccessTokens, hasClientDocuments: acceptsClientDocuments, baseUrl, authUrl })
    return built
  }

  const admitAttempt = createAttemptLimits(database)
  const app = await createApp({
    provider: () => provider,
    authUrl,
    secrets,
    signIn: createSignIn(systemSql, admitAttempt),
    admitAttempt,
    csrf: createCsrf(keyFor('forms')),
    state: createSignedState(keyFor('steps of a sign-in')),
    systemSql,
    revocation,
    inTransaction,
    log,
  })

  return {
    name: 'authorization-server',
    routes(request, response) {
      app.routing(request, response)
      return true
    },
    jobs: [
      periodic('signing-keys', keysReadEveryMs, async () => {
        const read = await readSigningKeys(systemSql, secrets)
        if (JSON.stringify(read) === JSON.stringify(signingKeys)) return
        signingKeys = read
        provider = build()
        log.info({ kids: read.map(({ kid }) => kid) }, 'signing-keys.changed')
      }),
      periodic('clients', clientsKeptMs, async () => clients.clear()),
    ],
    close: () => app.close(),
  }
}

/** A job that refreshes what this replica keeps in memory. */
function periodic(name: string, everyMs: number, refresh: () => Promise<void>): Job {
  return job({
    name,
    everyMs,
    async run() {
      await refresh()
      return false
    },
  })
}
