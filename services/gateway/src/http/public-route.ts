import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { createOptionsHandler } from './cors.ts'
import { methodNotAllowed } from './errors.ts'

const allowed = ['GET', 'HEAD', 'OPTIONS']

/**
 * Adds a public resource of the gateway that is the same for every request: GET, HEAD without the body, OPTIONS, and a 405 for every other
 * method.
 */
export function addPublicRoute(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  app.route({ method: 'GET', url, exposeHeadRoute: true, config: { isConstant: true }, handler })
  app.route({ method: 'OPTIONS', url, handler: createOptionsHandler(allowed) })
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: methodNotAllowed(allowed) })
}
