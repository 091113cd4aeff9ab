import { hkdfSync } from 'node:crypto'
import { scopes } from '@quittance/contracts/scopes'
import { job } from '@quittance/runtime/handler'
import type { Part, Surroundings } from '@quittance/runtime/service'
import { rowsWith } from '@quittance/runtime/transaction'
import { config } from '../config.ts'
import { ensureSigningKeys, readSigningKeys } from '../keys/signing-keys.ts'
import { createAdapter } from '../provider/adapter.ts'
import { clientStore } from '../provider/client-store.ts'
import { surround } from '../provider/protocol-answers.ts'
import { createProvider } from '../provider/provider.ts'
import { createRevocation } from '../provider/revocation.ts'
import { createSignIn } from '../sign-in/sign-in.ts'
import { createApp } from './app.ts'
import { createCsrf } from './csrf.ts'
import { createInTransaction } from './in-transaction.ts'

/** A lost wake-up delays a new key by this at most; keys are published for longer before they sign. */
const keysReadEveryMs = 60_000

/**
 * Opens the authorization server. New keys mean a new provider in place of the old one: tokens, sessions and half-done requests
 * are in the database, so nobody notices.
 */
export async function openAuthorizationServer({ database, log }: Surroundings): Promise<Part> {
  if (!database) throw new Error('The authorization server needs a database')
  const { BASE_URL: baseUrl, AUTH_URL: authUrl, SECRETS_KEY: secrets } = config()
  const rows = rowsWith(database.execute)
  const inTransaction = createInTransaction(database, log)
  const revocation = createRevocation(inTransaction)
  const clients = clientStore(rows, new Set(scopes))
  const adapter = createAdapter({ rows, revocation, clients: clients.adapter })
  await ensureSigningKeys(rows, secrets)
  let signingKeys = await readSigningKeys(rows, secrets)
  let provider = build()

  function build() {
    const built = createProvider({ baseUrl, adapter, rows, signingKeys, secrets })
    surround(built, { rows, log, baseUrl, authUrl })
    return built
  }

  const app = await createApp({
    provider: () => provider,
    signIn: createSignIn(database),
    csrf: createCsrf(Buffer.from(hkdfSync('sha256', secrets[0] as Uint8Array, '', 'quittance auth: forms', 32))),
    rows,
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
      job({
        name: 'signing-keys',
        everyMs: keysReadEveryMs,
        async run() {
          const read = await readSigningKeys(rows, secrets)
          if (JSON.stringify(read) === JSON.stringify(signingKeys)) return false
          signingKeys = read
          provider = build()
          log.info({ kids: read.map(({ kid }) => kid) }, 'signing-keys.changed')
          return false
        },
      }),
      job({
        name: 'clients',
        everyMs: 3_600_000,
        async run() {
          clients.forget()
          return false
        },
      }),
    ],
    close: () => app.close(),
  }
}
