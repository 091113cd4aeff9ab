import { hashToken, mintToken, type TokenPrefix } from '@quittance/runtime/credential'
import { timingSafeEqual } from 'node:crypto'
import type { Provider } from 'oidc-provider'

/** The three places where the library's models are made ours. Only names its types export are touched. */
export function adaptModels(provider: Provider): void {
  prefixTokens(provider)
  keepOrganizationOnGrants(provider)
  compareSecretsByHash(provider)
}

/** Prefixed and checksummed like every other credential. A JWT keeps the library's id: nobody sends that one. The library's own
 * function is called either way, because it also settles the format. */
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

/** The library keeps declared properties only, and reads the list once: it is extended before the first grant. */
function keepOrganizationOnGrants({ Grant }: Provider): void {
  const declared = (Grant as unknown as { IN_PAYLOAD: string[] }).IN_PAYLOAD
  Object.defineProperty(Grant, 'IN_PAYLOAD', { value: [...declared, 'subType', 'organizationId'] })
  const kept = new Grant({ clientId: 'x', subType: 'user' } as never) as { subType?: string }
  if (kept.subType !== 'user') throw new Error('The library dropped what a grant is bound to')
}

/** The client's secret is known as its SHA-256 only; so nothing may be signed with it (no HS256, no client_secret_jwt). */
function compareSecretsByHash({ Client }: Provider): void {
  Object.assign(Client.prototype, {
    compareClientSecret(this: { clientSecret?: string }, given: string) {
      const expected = Buffer.from(this.clientSecret ?? '')
      const actual = Buffer.from(hashToken(given))
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  })
}
