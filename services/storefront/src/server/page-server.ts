import { createApiClient } from '@quittance/pages/call-api'
import type { Logger } from '@quittance/runtime/logger'
import type { PageServer } from '@quittance/runtime/page-service'
import { config } from '../config.ts'
import { createApp } from './app.ts'
import { findStripeSources } from '../page/stripe-sources.ts'
import { createCookieSealer } from '../page/cookies.ts'
import { bundleScripts } from '../page/scripts.ts'

/** Starts the pages. Scripts are bundled before the service is ready. */
export async function startPageServer({ log }: { log: Logger }): Promise<PageServer> {
  const {
    API_HTTP_URL: origins,
    BASE_URL: baseUrl,
    PAGES_URL: pagesUrl = baseUrl,
    PAGES_KEY: pagesKey,
    SECRETS_KEY: keys,
    STRIPE_JS_URL,
    START_LINKS_FILE: startLinksFile,
  } = config()
  const api = createApiClient({ origins, pagesKey })
  const cookies = createCookieSealer({ keys, isSecure: pagesUrl.startsWith('https:') })
  const app = await createApp({
    api,
    cookies,
    baseUrl,
    startLinksFile,
    log,
    scripts: await bundleScripts(),
    origin: new URL(pagesUrl).origin,
    stripe: findStripeSources(STRIPE_JS_URL),
  })
  return {
    name: 'pages',
    routes(request, response) {
      app.routing(request, response)
      return true
    },
    isReady: () => api.isReady().catch(() => false),
    async close() {
      await app.close()
      await api.close()
    },
  }
}
