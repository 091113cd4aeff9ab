import type { Closer } from '@quittance/runtime/shutdown'
import { config } from '../config.ts'
import { createBrowser } from './browser.ts'

/** The one browser of this process. */
export const browser = createBrowser(() => ({ path: config().PUPPETEER_EXECUTABLE_PATH, sandbox: config().CHROMIUM_SANDBOX }))

/** Has it warm before the first invoice is due; without a browser the service does not start. */
export async function openBrowser(): Promise<Closer> {
  await browser.open()
  return { name: 'browser', close: () => browser.close() }
}
