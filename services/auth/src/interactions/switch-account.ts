import type { FastifyReply } from 'fastify'
import { browserSession } from '../sessions/browser-session.ts'
import { unbindFromSession, type InteractionContext } from './interaction-context.ts'

/**
 * Signs this browser out and continues the same request with the sign-in page. A sign-in answers `login` and `select_account` of `prompt`; `consent` stays.
 * The parameters stay here, because those of a pushed request are confidential (RFC 9126 §1).
 */
export async function switchAccount(step: InteractionContext): Promise<FastifyReply> {
  const { provider, details, path, request, reply } = step
  const session = await browserSession(provider, request, reply)
  await session.end()
  details.prompt = { name: 'login', reasons: ['no_session'], details: {} }
  await unbindFromSession(details)
  return reply.header('cache-control', 'no-store').redirect(path, 303)
}
