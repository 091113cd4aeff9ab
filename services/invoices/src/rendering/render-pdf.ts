import type { Logger } from '@quittance/runtime/log'
import type { ConsoleMessage, HTTPRequest, Page } from 'puppeteer'
import type { SharedBrowser } from './browser.ts'
import { config } from '../config.ts'
import { fontFile, fontNamed } from './font-files.ts'
import { withTimeLimit } from './time-limit.ts'

/** Of a longer document (some seven hundred lines) its page keeps hundreds of megabytes, however short the next ones are. */
const longBytes = 1_000_000
/**
 * A name that can never exist (RFC 6761). An empty page is served under it from memory, with an origin that may read nothing but the fonts
 * of the packages and a policy that allows nothing else; documents are written into that page, one after the other. Going to an address for
 * each would cost twice as much as printing it, and it would have to unpack its fonts again.
 */
const shellUrl = 'http://invoice.invalid/'
const contentSecurityPolicy = `default-src 'none'; style-src 'unsafe-inline'; font-src ${shellUrl}fonts/; img-src data:`

/** The document was not ready in time; its page is gone. */
export class RenderingTimedOut extends Error {}

export interface Printing {
  html: string
  log: Logger
}

/** Prints a page as tagged PDF. It sees what is in the HTML, the fonts it names and nothing else: no script, no file, no network. */
export function renderPdf(browser: SharedBrowser, { html, log }: Printing): Promise<Uint8Array> {
  const ms = config().RENDER_TIMEOUT_MS
  const limit = { ms, error: () => new RenderingTimedOut(`Rendering took longer than ${ms / 1000} s`) }
  return browser.withPage(async (page, wearOut) => {
    const pdf = await withTimeLimit(print(page, { html, log }), limit)
    if (pdf.length > longBytes) wearOut()
    return pdf
  })
}

/** Without limits of its own: who calls it has one for all of it. */
async function print(page: Page, { html, log }: Printing): Promise<Uint8Array> {
  const answer = (request: HTTPRequest) => void serve(request, log)
  // A page that runs no script says nothing but what it was refused.
  const refused = (message: ConsoleMessage) => log.warn({ refused: message.text().slice(0, 300) }, 'rendering.refused')
  page.on('request', answer)
  page.on('console', refused)
  try {
    if (page.url() !== shellUrl) await page.goto(shellUrl, { timeout: 0 })
    await page.setContent(html, { timeout: 0, waitUntil: 'load' })
    await page.evaluate(loadFonts)
    return await page.pdf({ ...asWanted, waitForFonts: false, timeout: 0 })
  } finally {
    page.off('request', answer)
    page.off('console', refused)
  }
}

const asWanted = { preferCSSPageSize: true, printBackground: true, tagged: true, outline: false }

/**
 * All of them, as some letters stand in the margins only, which are not set before printing. Without one of its fonts a document is not
 * printed.
 */
const loadFonts = 'Promise.all(Array.from(document.fonts, (font) => font.load())).then(() => {})'

const keptForever = { 'cache-control': 'max-age=31536000, immutable' }

async function serve(request: HTTPRequest, log: Logger): Promise<void> {
  const url = request.url()
  try {
    if (url.startsWith('data:')) return await request.continue()
    if (url === shellUrl && request.isNavigationRequest() && request.frame()?.parentFrame() === null) {
      const headers = { 'content-security-policy': contentSecurityPolicy }
      return await request.respond({ status: 200, contentType: 'text/html; charset=utf-8', headers, body: '' })
    }
    const bytes = fontAt(url, log)
    if (bytes) return await request.respond({ status: 200, contentType: 'font/woff2', headers: keptForever, body: bytes })
    log.warn({ url: url.slice(0, 200) }, 'rendering.request-blocked')
    await request.abort('accessdenied')
  } catch {
    // The page is gone; whoever waits for it is told by the page itself.
  }
}

function fontAt(url: string, log: Logger): Uint8Array | null {
  const font = url.startsWith(shellUrl) ? fontNamed(new URL(url).pathname) : null
  if (!font) return null
  try {
    return fontFile(font).bytes
  } catch (error) {
    log.error({ err: error, ...font }, 'rendering.font-unreadable')
    return null
  }
}
