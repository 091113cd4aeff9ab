/**
 * Process: our authorization server without a database. The provider, its middleware and its HTTP server are those of the auth service;
 * codes, tokens and grants are in the library's memory, and the user always exists.
 */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { createApp } from '@quittance/auth/server/app'
import { createCsrf } from '@quittance/auth/web/csrf'
import { createJwtAccessTokens } from '@quittance/auth/provider/jwt-access-tokens'
import { addProtocolMiddleware } from '@quittance/auth/provider/protocol-middleware'
import { createProvider } from '@quittance/auth/provider/provider'
import { hashToken } from '@quittance/runtime/credential'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { startHealth } from '@quittance/runtime/health-server'
import { createLogger } from '@quittance/runtime/logger'
import type { Adapter, Provider } from 'oidc-provider'
import type { MemoryOrder, MemoryReady } from './start.ts'

const baseUrl = 'http://127.0.0.1:8080'
const log = createLogger('memory', 'info')
const user = { id: randomUUID(), email: 'ada@example.com', email_verified: false }
const systemSql: SystemSql = async () => [user] as never

async function serve({ client, scope, count }: MemoryOrder): Promise<MemoryReady> {
  const signingKeys = generateKeys()
  const provider = createProvider({ baseUrl, adapter: undefined, systemSql, signingKeys, secrets: [randomBytes(32)] })
  const jwtAccessTokens = createJwtAccessTokens({ issuer: baseUrl, signingKeys, systemSql, inTransaction: throwUnsupported })
  addProtocolMiddleware(provider, { systemSql, log, jwtAccessTokens, hasClientDocuments: () => false, baseUrl, authUrl: baseUrl })
  leaveOutGrantIndex(provider)
  // The property exists, but the library's types do not declare it for this model.
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
    authUrl: '',
    secrets: [],
    signIn: throwUnsupported,
    admitAttempt: throwUnsupported,
    csrf: createCsrf(randomBytes(32)),
    state: { sign: throwUnsupported, open: throwUnsupported },
    systemSql,
    revocation: { revokeGrant: throwUnsupported, revokeToken: throwUnsupported },
    inTransaction: throwUnsupported,
    log,
  })
  const routes = (...given: Parameters<typeof app.routing>) => {
    app.routing(...given)
    return true
  }
  const { port } = await startHealth({ host: '127.0.0.1', port: 0, checks: {}, routes })
  const tokens = await Promise.all(Array.from({ length: count }, () => issueToken(provider, { clientId: client.client_id, scope })))
  return { port, tokens }
}

/** Generates as many keys of the same size as an instance has: a current and a next one of both algorithms. */
function generateKeys() {
  const pairs = [0, 1].flatMap(() => [
    { alg: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) },
    { alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  ])
  return pairs.map(({ alg, privateKey }) => ({ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg, use: 'sig' }) as never)
}

/**
 * Disables the library's list of a grant's tokens. The library walks through all of them whenever it stores another one, which after a
 * thousand refreshes is most of the work. For other model names it maintains no such list.
 */
function leaveOutGrantIndex({ AccessToken, RefreshToken }: Provider): void {
  for (const { adapter } of [AccessToken, RefreshToken]) {
    const named = adapter as unknown as { model: string }
    named.model = `${named.model} without index`
  }
}

/** Issues a refresh token with a separate grant and all data that one from an authorization has. */
async function issueToken(provider: Provider, { clientId, scope }: { clientId: string; scope: string }): Promise<string> {
  const client = await provider.Client.find(clientId)
  if (!client) throw new Error('The client was not stored.')
  const grant = new provider.Grant({ accountId: user.id, clientId })
  Object.assign(grant, { subType: 'user', organizationId: null })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const now = Math.floor(Date.now() / 1000)
  const facts = { accountId: user.id, client, grantId, scope, gty: 'authorization_code', authTime: now, iiat: now, rotations: 0 }
  const token = new provider.RefreshToken({ ...facts, amr: ['pwd'], sessionUid: randomUUID(), expiresWithSession: false } as never)
  return token.save()
}

function throwUnsupported(): never {
  throw new Error('This peer only refreshes tokens.')
}

process.once('message', (order: MemoryOrder) => {
  void serve(order).then((ready) => process.send?.(ready))
})
process.once('disconnect', () => process.exit())
