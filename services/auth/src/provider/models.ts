import { hashToken, mintToken, type TokenPrefix } from '@quittance/runtime/credential'
import { timingSafeEqual } from 'node:crypto'
import { Provider } from 'oidc-provider'
import { isRedirectUri, isRegisteredRedirect } from '../clients/client-metadata.ts'
import { isSignOutTargetConfirmed } from './open-redirects.ts'

/** Changes six behaviours of the library's models, through names that its types export. */
export function customizeModels(provider: Provider): void {
  prefixTokens(provider)
  keepOrganizationOnGrants(provider)
  renameSessions(provider)
  compareSecretsByHash(provider)
  compareRedirects(provider)
  dropSignOutTargets(provider)
}

/**
 * Gives tokens a prefix and a checksum like every other credential. A JWT keeps the library's id, which no client sends. The function of
 * the library is called in both cases, because it also sets the format.
 */
function prefixTokens(provider: Provider): void {
  const prefixed: [{ prototype: object }, TokenPrefix][] = [
    [provider.AccessToken, 'qt_at_'],
    [provider.RefreshToken, 'qt_rt_'],
    [provider.AuthorizationCode, 'qt_ac_'],
  ]
  for (const [{ prototype }, prefix] of prefixed) {
    const { generateTokenId } = prototype as { generateTokenId(): string }
    Object.assign(prototype, {
      generateTokenId(this: { resourceServer?: unknown }) {
        const id = generateTokenId.call(this)
        return this.resourceServer === undefined ? mintToken(prefix) : id
      },
    })
  }
}

/** The library stores declared properties only, and reads the list once: it is extended before the first grant. */
function keepOrganizationOnGrants({ Grant }: Provider): void {
  const declared = (Grant as unknown as { IN_PAYLOAD: string[] }).IN_PAYLOAD
  Object.defineProperty(Grant, 'IN_PAYLOAD', { value: [...declared, 'subType', 'organizationId'] })
  const stored = new Grant({ clientId: 'x', subType: 'user' } as never) as { subType?: string }
  if (stored.subType !== 'user') throw new Error('The library did not store the subject of a grant')
}

/**
 * Changes the id of a session in one statement. The library destroys the old id before it stores the session under the new one; the store
 * finds the row by `uid`, and a destroyed session cannot be stored again.
 */
function renameSessions({ Session }: Provider): void {
  const { resetIdentifier } = Session.prototype
  Object.assign(Session.prototype, {
    resetIdentifier(this: InstanceType<typeof Session> & { oldId?: string }) {
      resetIdentifier.call(this)
      delete this.oldId
    },
  })
}

/** Compares SHA-256 hashes, because the secret itself is not stored; so nothing may be signed with it (no HS256, no client_secret_jwt). */
function compareSecretsByHash({ Client }: Provider): void {
  Object.assign(Client.prototype, {
    compareClientSecret(this: { clientSecret?: string }, input: string) {
      const expected = Buffer.from(this.clientSecret ?? '')
      const actual = Buffer.from(hashToken(input))
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  })
}

/**
 * Rejects a private-network URI at use if it was registered before such URIs were rejected (RFC 9700 §2.6). The library accepts any port
 * for every loopback host of a native application; here any port is accepted for IP literals, for every client (RFC 8252 §7.3).
 */
function compareRedirects({ Client }: Provider): void {
  Object.assign(Client.prototype, {
    redirectUriAllowed(this: ClientAddresses, uri: string) {
      return isRedirectUri(uri, { isPublic: this.clientAuthMethod === 'none' }) && isRegisteredRedirect(uri, this.redirectUris ?? [])
    },
  })
}

/**
 * Signs out without a redirect if nothing confirms the target. The library asks this before it stores the target, and it has no other hook
 * between both.
 */
function dropSignOutTargets({ Client }: Provider): void {
  const { postLogoutRedirectUriAllowed } = Client.prototype
  Object.assign(Client.prototype, {
    postLogoutRedirectUriAllowed(this: InstanceType<typeof Client>, uri: string) {
      const { ctx } = Provider
      if (ctx?.oidc.params && !isSignOutTargetConfirmed(ctx)) ctx.oidc.params['post_logout_redirect_uri'] = undefined
      return postLogoutRedirectUriAllowed.call(this, uri)
    },
  })
}

interface ClientAddresses {
  clientAuthMethod: string
  redirectUris?: string[]
}
