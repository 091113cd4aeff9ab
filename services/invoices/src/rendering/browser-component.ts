import type { Logger } from '@quittance/runtime/logger'
import type { ServiceResources } from '@quittance/runtime/service'
import type { Closeable } from '@quittance/runtime/shutdown'
import { config } from '../config.ts'
import { createBrowser } from './browser.ts'

let log: Logger | null = null

/** Browser of this process. */
export const browser = createBrowser(() => ({
  path: config().PUPPETEER_EXECUTABLE_PATH,
  sandbox: config().CHROMIUM_SANDBOX,
  warn: (reason) => log?.error({ reason }, 'browser.not-sandboxed'),
}))

/** Starts the browser before the first invoice is due. Without a browser the service does not start. */
export async function startBrowser(resources: ServiceResources): Promise<Closeable> {
  log = resources.log
  await browser.open()
  return { name: 'browser', close: () => browser.close() }
}
