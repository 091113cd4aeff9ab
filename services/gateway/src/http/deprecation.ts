import { changes, sinceKeyword } from '@quittance/contracts/changes'
import type { PublicOperation } from '@quittance/contracts/operation'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { addPage } from './page-route.ts'

/** Path of the dated change history. */
const changesPath = '/v1/changes'

/**
 * Headers of answers that carry a deprecated field: since when (RFC 9745), and where the change is explained. None has a date on
 * which it goes away, so there is no `Sunset` (RFC 8594).
 */
export function deprecationOf({ reply }: PublicOperation, baseUrl: string): Record<string, string> {
  const dates = [...JSON.stringify(z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' })).matchAll(sinceDates)]
  const [earliest] = dates.map(([, date]) => date as string).toSorted()
  if (!earliest) return {}
  return {
    deprecation: `@${Date.parse(earliest) / 1000}`,
    link: `<${baseUrl}${changesPath}>; rel="deprecation"; type="application/json"`,
  }
}

const sinceDates = new RegExp(`"${sinceKeyword}":"([\\d-]+)"`, 'g')

/** The dated change history, as data. */
export function addChanges(app: FastifyInstance): void {
  const history = JSON.stringify({ items: changes })
  addPage(app, changesPath, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('application/json').send(history),
  )
}
