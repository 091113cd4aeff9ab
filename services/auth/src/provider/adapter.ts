import type { SqlRunner } from '@quittance/runtime/handler'
import type { Adapter } from 'oidc-provider'
import { grantStore } from './grant-store.ts'
import type { Revocation } from './revocation.ts'
import { sessionStore } from './session-store.ts'
import { shortLivedStore } from './short-lived-store.ts'
import { tokenStore } from './token-store.ts'

interface AdapterOptions {
  rows: SqlRunner
  revocation: Revocation
  clients: Partial<Adapter>
}

/** Selects the store of each library model. Models of disabled features have none. */
export function createAdapter({ rows, revocation, clients }: AdapterOptions): (model: string) => Adapter {
  const stores: Record<string, () => Partial<Adapter>> = {
    AccessToken: () => tokenStore({ table: 'oauth_access_tokens', rows, revocation }),
    RefreshToken: () => tokenStore({ table: 'refresh_tokens', rows, revocation }),
    AuthorizationCode: () => tokenStore({ table: 'authorization_codes', rows, revocation }),
    Grant: () => grantStore(rows, revocation),
    Session: () => sessionStore(rows),
    Client: () => clients,
    Interaction: () => shortLivedStore('Interaction', rows),
    PushedAuthorizationRequest: () => shortLivedStore('PushedAuthorizationRequest', rows),
    ReplayDetection: () => shortLivedStore('ReplayDetection', rows),
  }
  return (model) => {
    const store = stores[model]
    if (!store) throw new Error(`There is no store for ${model}`)
    return store() as Adapter
  }
}
