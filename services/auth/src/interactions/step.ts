import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { AppOptions } from '../http/app-options.ts'

export type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** A step of an authorization request, as a page of ours sees it. */
export interface Step {
  options: AppOptions
  provider: Provider
  details: Details
  /** Path of this interaction; its forms go below it. */
  path: string
  request: FastifyRequest
  reply: FastifyReply
  form: Record<string, unknown>
}

/** Records the answer of the person and goes back to the authorization request. By path: whatever host the browser came by. */
export async function finish({ provider, path, request, reply }: Step, result: Parameters<Provider['interactionResult']>[2], merge = true) {
  const returnTo = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: merge })
  // One is set for every step; without this they pile up for as long as an interaction may take.
  const { cookies } = provider.createContext(request.raw, reply.raw)
  cookies.set(provider.cookieName('interaction'), null, { path, signed: true, httpOnly: true, sameSite: 'lax' })
  const { pathname, search } = new URL(returnTo)
  return reply.header('cache-control', 'no-store').redirect(pathname + search, 303)
}
