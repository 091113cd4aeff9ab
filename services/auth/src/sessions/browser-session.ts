import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

/** The account that signed in, and how (`amr` of RFC 8176; `acr` of OpenID Connect EAP ACR Values 1.0, `phr` for a passkey). */
export interface SignedIn {
  accountId: string
  amr: string[]
  acr?: string
}

/** The session of a browser on the pages of this service; the library's own, so that one sign-in is valid for pages and applications. */
export interface BrowserSession {
  uid: string
  accountId: string | null
  /** Whether the user authenticated within the last ten minutes: checked before credentials and members change. */
  isFresh: boolean
  /** Signs in with a new session id, so that a planted cookie is useless. Ends a session of another account first. */
  begin(signedIn: SignedIn): Promise<{ uid: string }>
  end(): Promise<void>
}

const ttlSeconds = 14 * 24 * 3600
const freshSeconds = 10 * 60

export async function browserSession(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession> {
  const ctx = provider.createContext(request.raw, reply.raw)
  const session = await provider.Session.get(ctx as unknown as KoaContextWithOIDC)
  const cookie = provider.cookieName('session')
  const cookieOptions = { httpOnly: true, sameSite: 'lax', signed: true, path: '/', secure: ctx.secure } as const
  return {
    uid: session.uid,
    accountId: session.accountId ?? null,
    isFresh: session.accountId !== undefined && !session.past(freshSeconds),
    async begin(signedIn) {
      const isOther = session.accountId !== undefined && session.accountId !== signedIn.accountId
      if (isOther) await session.destroy()
      const begun = isOther ? new provider.Session() : session
      begun.resetIdentifier()
      begun.loginAccount(signedIn)
      await begun.save(ttlSeconds)
      ctx.cookies.set(cookie, begun.jti, { ...cookieOptions, maxAge: ttlSeconds * 1000 })
      return { uid: begun.uid }
    },
    async end() {
      await session.destroy()
      ctx.cookies.set(cookie, null, cookieOptions)
    },
  }
}
