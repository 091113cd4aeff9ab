import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import type { AppOptions } from '../web/app-options.ts'

export type InteractionDetails = Awaited<ReturnType<Provider['interactionDetails']>>

/** A step of an authorization request, as the pages of this service receive it. */
export interface InteractionContext {
  options: AppOptions
  provider: Provider
  details: InteractionDetails
  /** Path of this interaction; its forms go below it. */
  path: string
  request: FastifyRequest
  reply: FastifyReply
  form: Record<string, unknown>
}

/** Unbinds an authorization request from the session with which it began, so that another account can continue it. */
export async function unbindFromSession(details: InteractionDetails): Promise<void> {
  delete details.session
  await details.save(Math.max(1, details.exp - Math.floor(Date.now() / 1000)))
}

/** Records the result of the step and redirects to the authorization request, by path only: the browser may have used any host. */
export async function finishInteraction(
  { provider, path, request, reply }: InteractionContext,
  result: Parameters<Provider['interactionResult']>[2],
  merge = true,
) {
  const returnTo = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: merge })
  // The library sets one cookie per step; without this they accumulate for the lifetime of an interaction.
  const { cookies } = provider.createContext(request.raw, reply.raw)
  cookies.set(provider.cookieName('interaction'), null, { path, signed: true, httpOnly: true, sameSite: 'lax' })
  const { pathname, search } = new URL(returnTo)
  return reply.header('cache-control', 'no-store').redirect(pathname + search, 303)
}
