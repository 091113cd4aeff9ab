/**
 * Process: our authorization server without a database. The provider, what surrounds it and its HTTP are those of the auth service;
 * codes, tokens and grants are in the library's own memory, and the person is always there.
 */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { createApp } from '@quittance/auth/http/app'
import { createCsrf } from '@quittance/auth/http/csrf'
import { surround } from '@quittance/auth/provider/protocol-answers'
import { createProvider } from '@quittance/auth/provider/provider'
import { hashToken } from '@quittance/runtime/credential'
import type { Rows } from '@quittance/runtime/handler'
import { startHealth } from '@quittance/runtime/health'
import { createLogger } from '@quittance/runtime/log'
import type { Adapter, Provider } from 'oidc-provider'
import type { MemoryOrder, MemoryReady } from './start.ts'

const baseUrl = 'http://127.0.0.1:8080'
const log = createLogger('memory', 'info')
const person = { id: randomUUID(), email: 'ada@example.com', email_verified: false }
const rows = (async () => [person]) as unknown as Rows

async function serve({ client, scope, count }: MemoryOrder): Promise<MemoryReady> {
  const provider = createProvider({ baseUrl, adapter: undefined, rows, signingKeys: drawKeys(), secrets: [randomBytes(32)] })
  surround(provider, { rows, log, baseUrl, authUrl: baseUrl })
  leaveOutGrantIndex(provider)
  // The library has it; its types do not say so for this one.
  const { adapter } = provider.Client as unknown as { adapter: Adapter }
  await adapter.upsert(
    client.client_id,
    {
      client_id: client.client_id,
      client_secret: hashToken(client.client_secret),
      redirect_uris: ['https://app.example.com/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope,
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'RS256',
    },
    365 * 86_400,
  )
  const app = await createApp({
    provider: () => provider,
    signIn: notHere,
    csrf: createCsrf(randomBytes(32)),
    rows,
    revocation: { revokeGrant: notHere, revokeToken: notHere },
    inTransaction: notHere,
    log,
  })
  const routes = (...given: Parameters<typeof app.routing>) => {
    app.routing(...given)
    return true
  }
  const { port } = await startHealth({ host: '127.0.0.1', port: 0, checks: {}, routes })
  const tokens = await Promise.all(Array.from({ length: count }, () => issue(provider, { clientId: client.client_id, scope })))
  return { port, tokens }
}

/** As many and as long as those of an instance: one that signs and one that will, of both algorithms. */
function drawKeys() {
  const pairs = [0, 1].flatMap(() => [
    { alg: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
    { alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  ])
  return pairs.map(({ alg, privateKey }) => ({ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg, use: 'sig' }) as never)
}

/**
 * The library walks through all tokens of a grant whenever it keeps one more, which after a thousand refreshes is most of the work.
 * Under other names it keeps no such list.
 */
function leaveOutGrantIndex({ AccessToken, RefreshToken }: Provider): void {
  for (const { adapter } of [AccessToken, RefreshToken]) {
    const named = adapter as unknown as { model: string }
    named.model = `${named.model} without index`
  }
}

/** A refresh token with a grant of its own, with all that one from an authorization has. */
async function issue(provider: Provider, { clientId, scope }: { clientId: string; scope: string }): Promise<string> {
  const client = await provider.Client.find(clientId)
  if (!client) throw new Error('The client was not kept')
  const grant = new provider.Grant({ accountId: person.id, clientId })
  Object.assign(grant, { subType: 'user', organizationId: null })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const now = Math.floor(Date.now() / 1000)
  const facts = { accountId: person.id, client, grantId, scope, gty: 'authorization_code', authTime: now, iiat: now, rotations: 0 }
  const token = new provider.RefreshToken({ ...facts, amr: ['pwd'], sessionUid: randomUUID(), expiresWithSession: false } as never)
  return token.save()
}

function notHere(): never {
  throw new Error('This peer refreshes tokens and does nothing else')
}

process.once('message', (order: MemoryOrder) => {
  void serve(order).then((ready) => process.send?.(ready))
})
process.once('disconnect', () => process.exit())
