import { ResourceNotFound } from '@quittance/contracts/errors'
import reference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { addPublicRoute } from '../http/public-route.ts'

const pagePath = '/docs'
/** The API reference is served from its package: the page sends no requests to other hosts. */
const scriptPath = '/docs/reference/js/scalar.js'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The reference adds its styles to the page.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const caching = 'public, max-age=300'

/** The script replaces it. It stays without scripts, and if the overloaded gateway rejects one of them. */
const missingReference =
  'Loading the API reference. Reload the page if this text stays. The same is at <a href="/openapi.json">/openapi.json</a>.'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Quittance API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"><p>${missingReference}</p></div>
    <script src="${scriptPath}"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const settings = {
  url: '/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  persistAuth: false,
  showDeveloperTools: 'never',
  // It opens a page of another site, in which users would type their tokens.
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
}

/** Adds the API documentation page for users, with the change history at the top. */
export function addDocsPage(app: FastifyInstance): void {
  addPublicRoute(app, pagePath, (_request, reply) =>
    reply.headers({ 'content-security-policy': policy, 'cache-control': caching }).type('text/html').send(page),
  )
  addPublicRoute(app, '/docs/start.js', (_request, reply) =>
    reply
      .header('cache-control', caching)
      .type('text/javascript')
      .send(`Scalar.createApiReference('#reference', ${JSON.stringify(settings)})\n`),
  )
  // Only the script of the package is served; its own page would need a looser policy.
  const onlyScript = { onRequest: async (request: { url: string }) => assertScriptUrl(request.url) }
  app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, isConstant: true }
      // The package registers GET only.
      route.method = ['GET', 'HEAD']
    })
    scope.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode === 200) reply.header('cache-control', caching)
    })
    await scope.register(reference, { routePrefix: '/docs/reference', configuration: { url: '/openapi.json' }, hooks: onlyScript })
  })
}

function assertScriptUrl(url: string): void {
  if (url.split('?')[0] !== scriptPath) throw new ResourceNotFound()
}
