import type { SystemSql } from '@quittance/sql/sql-runner'
import type { Adapter } from 'oidc-provider'
import { grantStore } from './grant-store.ts'
import type { Revocation } from './revocation.ts'
import { sessionStore } from './session-store.ts'
import { shortLivedStore } from './short-lived-store.ts'
import { tokenStore } from './token-store.ts'

interface AdapterOptions {
  systemSql: SystemSql
  revocation: Revocation
  clients: Partial<Adapter>
}

/** Selects the store of each library model. Models of disabled features have none. */
export function createAdapter({ systemSql, revocation, clients }: AdapterOptions): (model: string) => Adapter {
  const stores: Record<string, () => Partial<Adapter>> = {
    AccessToken: () => tokenStore({ table: 'oauth_access_tokens', systemSql, revocation }),
    RefreshToken: () => tokenStore({ table: 'refresh_tokens', systemSql, revocation }),
    AuthorizationCode: () => tokenStore({ table: 'authorization_codes', systemSql, revocation }),
    Grant: () => grantStore(systemSql, revocation),
    Session: () => sessionStore(systemSql),
    Client: () => clients,
    Interaction: () => shortLivedStore('Interaction', systemSql),
    PushedAuthorizationRequest: () => shortLivedStore('PushedAuthorizationRequest', systemSql),
    ReplayDetection: () => shortLivedStore('ReplayDetection', systemSql),
  }
  return (model) => {
    const store = stores[model]
    if (!store) throw new Error(`There is no store for ${model}`)
    return store() as Adapter
  }
}
