import { scopes } from '@quittance/contracts/scopes'
import type { FastifyInstance } from 'fastify'
import { resourceMetadataPath } from '../access/challenge.ts'
import { proofAlgorithms } from '../access/verify-dpop.ts'
import { methodNotAllowed } from '../http/errors.ts'

/** Adds the metadata of the API as a protected resource (RFC 9728 §2), which names its authorization server. Readable by every web page. */
export function addProtectedResource(app: FastifyInstance, baseUrl: string): void {
  const metadata = JSON.stringify({
    resource: baseUrl,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_name: 'Quittance',
    dpop_signing_alg_values_supported: proofAlgorithms,
  })
  const url = resourceMetadataPath
  app.get(url, { exposeHeadRoute: true }, (_request, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }).type('application/json').send(metadata),
  )
  // Clients of other protocols add their own headers, for which browsers send a preflight.
  app.options(url, (_request, reply) =>
    reply
      .headers({ 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' })
      .code(204)
      .send(),
  )
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url, handler: methodNotAllowed(['GET', 'HEAD', 'OPTIONS']) })
}
