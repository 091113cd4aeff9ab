import { defineEntity, p } from '@mikro-orm/core'
import type { Scope } from '@quittance/contracts/scopes'
import { aggregateProperties } from '@quittance/runtime/schema'
import { hashToken, mintToken } from '@quittance/runtime/credential'

/** An OAuth 2.0 client (RFC 7591). Belongs to no organization; the account that registered it, if any, may manage it. */
export const ClientSchema = defineEntity({
  name: 'Client',
  tableName: 'clients',
  properties: {
    ...aggregateProperties,
    clientId: p.text(),
    /** SHA-256; null for public clients. */
    secretHash: p.text().nullable(),
    accountId: p.uuid().nullable(),
    name: p.text(),
    redirectUris: p.array(),
    scopes: p.array<Scope>(),
    tokenEndpointAuthMethod: p.text().$type<'client_secret_post' | 'client_secret_basic' | 'none'>(),
    grantTypes: p.array<'authorization_code' | 'refresh_token'>(),
    clientUri: p.text().nullable(),
    logoUri: p.text().nullable(),
    tosUri: p.text().nullable(),
    policyUri: p.text().nullable(),
    postLogoutRedirectUris: p.array(),
    idTokenSignedResponseAlg: p.text().$type<'RS256' | 'ES256'>(),
    dpopBoundAccessTokens: p.boolean(),
    registrationTokenHash: p.text().nullable(),
    registrationTokenSealed: p.text().nullable(),
    /** Created by the operator: the consent page shows no warning. */
    isTrusted: p.boolean(),
    /** When the stored metadata document at the client's id expires; null for a registered client. */
    documentExpiresAt: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
  },
})

/** The changeable fields of a client, always set together. */
export interface ClientConfiguration {
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  tokenEndpointAuthMethod: 'client_secret_post' | 'client_secret_basic' | 'none'
  grantTypes: ('authorization_code' | 'refresh_token')[]
  scopes: Scope[]
  clientUri: string | null
  logoUri: string | null
  tosUri: string | null
  policyUri: string | null
  idTokenSignedResponseAlg: 'RS256' | 'ES256'
  dpopBoundAccessTokens: boolean
}

interface Origin {
  /** Account that registered it; null for anonymous registration and for the operator. */
  accountId: string | null
  isTrusted: boolean
}

export class Client extends ClientSchema.class {
  /** Creates a secret, to be shown once, if the client needs one and has none; deletes one that it no longer needs. */
  configure(configuration: ClientConfiguration): string | null {
    Object.assign(this, configuration)
    if (configuration.tokenEndpointAuthMethod === 'none') {
      this.secretHash = null
      return null
    }
    if (this.secretHash) return null
    const secret = mintToken('qt_cs_')
    this.secretHash = hashToken(secret)
    return secret
  }

  /**
   * Identifies the recipient of codes and tokens: equal for two configurations if and only if redirect URIs and authentication are equal.
   */
  recipient(): string {
    return JSON.stringify([this.tokenEndpointAuthMethod, ...new Set(this.redirectUris.toSorted())])
  }

  delete(now: Date): void {
    this.deletedAt = now
  }
}
ClientSchema.setClass(Client)

/** Creates a client: its row, and the secret for its owner; null for a public client. */
export function newClient(configuration: ClientConfiguration, { accountId, isTrusted }: Origin) {
  const secret = configuration.tokenEndpointAuthMethod === 'none' ? null : mintToken('qt_cs_')
  const row = {
    ...configuration,
    clientId: mintToken('qt_ci_'),
    secretHash: secret && hashToken(secret),
    accountId,
    isTrusted,
    registrationTokenHash: null as string | null,
    registrationTokenSealed: null as string | null,
    documentExpiresAt: null as Date | null,
    deletedAt: null,
  }
  return { secret, row }
}
