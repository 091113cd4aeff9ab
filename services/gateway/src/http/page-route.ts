import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { answerOptions } from './cors.ts'
import { methodNotAllowed } from './errors.ts'

const allowed = ['GET', 'HEAD', 'OPTIONS']

/** Something of the gateway's own that everybody may read: GET, HEAD without the body, OPTIONS, and a 405 for every other method. */
export function addPage(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  app.route({ method: 'GET', url, exposeHeadRoute: true, handler })
  app.route({ method: 'OPTIONS', url, handler: answerOptions(allowed) })
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: methodNotAllowed(allowed) })
}
