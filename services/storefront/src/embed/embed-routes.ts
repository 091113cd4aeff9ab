import type { FastifyInstance } from 'fastify'
import type { AppOptions } from '../page/page-context.ts'

/** Adds the script that sellers load to show checkouts in a frame. Every site may load it. */
export function addEmbedRoutes(app: FastifyInstance, { scripts }: Pick<AppOptions, 'scripts'>): void {
  app.get('/embed/checkout.js', (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send(scripts.embed),
  )
}
