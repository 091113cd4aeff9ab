import { stringify } from 'node:querystring'
import type { FastifyReply } from 'fastify'
import { browserSession } from '../sessions/browser-session.ts'
import { routes } from '../provider/routes.ts'
import type { Step } from './step.ts'

/** Signs this browser out and asks the same request again, of whoever signs in next. */
export async function switchAccount({ provider, details, request, reply }: Step): Promise<FastifyReply> {
  const session = await browserSession(provider, request, reply)
  await session.end()
  const { prompt: _, request_uri: __, ...params } = details.params
  const query = stringify(
    Object.fromEntries(Object.entries(params).filter(([, value]) => typeof value === 'string')) as Record<string, string>,
  )
  return reply.header('cache-control', 'no-store').redirect(`${routes.authorization}?${query}`, 303)
}
