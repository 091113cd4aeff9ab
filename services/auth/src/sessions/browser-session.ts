import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

/** The session of a browser on pages of ours; the library's own, so that signing in anywhere is signing in everywhere. */
export interface BrowserSession {
  uid: string
  accountId: string | null
  /** Signs in: a new id, so that a planted cookie is worth nothing. */
  begin(accountId: string): Promise<void>
  end(): Promise<void>
}

const ttlSeconds = 14 * 24 * 3600

export async function browserSession(provider: Provider, request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession> {
  const ctx = provider.createContext(request.raw, reply.raw)
  const session = await provider.Session.get(ctx as unknown as KoaContextWithOIDC)
  const cookie = provider.cookieName('session')
  const cookieOptions = { httpOnly: true, sameSite: 'lax', signed: true, path: '/', secure: ctx.secure } as const
  return {
    uid: session.uid,
    accountId: session.accountId ?? null,
    async begin(accountId) {
      session.resetIdentifier()
      session.loginAccount({ accountId, amr: ['pwd'] })
      await session.save(ttlSeconds)
      ctx.cookies.set(cookie, session.jti, { ...cookieOptions, maxAge: ttlSeconds * 1000 })
    },
    async end() {
      await session.destroy()
      ctx.cookies.set(cookie, null, cookieOptions)
    },
  }
}
