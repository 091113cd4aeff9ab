import type { Logger } from '@quittance/runtime/logger'
import type { CDPSession, ConsoleMessage, HTTPRequest, Page } from 'puppeteer'
import type { SharedBrowser } from './browser.ts'
import { config } from '../config.ts'
import { fontFile, parseFontPath } from './font-files.ts'
import { withTimeLimit } from '../threads/time-limit.ts'

/** After a longer document (about 700 lines) its page retains hundreds of megabytes, even if the next documents are short. */
const longDocumentBytes = 1_000_000
/**
 * A host name that cannot exist (RFC 6761). An empty page is served under it from memory. Its origin can read only the fonts of the
 * packages, and its policy forbids everything else. Documents are written into that page one after the other. Navigating for each document
 * would cost twice as much as printing it and would decompress the fonts again.
 */
const shellUrl = 'http://invoice.invalid/'
const contentSecurityPolicy = `default-src 'none'; style-src 'unsafe-inline'; font-src ${shellUrl}fonts/; img-src data:`

/** The document was not rendered in time. Its page is discarded. */
export class RenderTimeout extends Error {}

export interface PdfRenderRequest {
  /** Organization that issues the document. */
  owner: string
  html: string
  log: Logger
}

/** Prints a page as tagged PDF. The page can access only the HTML and the fonts it names: no script, no file, no network. */
export function renderPdf(browser: SharedBrowser, { owner, html, log }: PdfRenderRequest): Promise<Uint8Array> {
  const ms = config().RENDER_TIMEOUT_MS
  const limit = { ms, error: () => new RenderTimeout(`Rendering took longer than ${ms / 1000} s`) }
  return browser.withPage(owner, async (page, retire) => {
    const pdf = await withTimeLimit(print(page, { html, log }), limit)
    if (pdf.length > longDocumentBytes) retire()
    return pdf
  })
}

/** Has no timeout: the caller limits the total time. */
async function print(page: Page, { html, log }: Omit<PdfRenderRequest, 'owner'>): Promise<Uint8Array> {
  const handleRequest = (request: HTTPRequest) => void serve(request, log)
  // A page without script logs only blocked requests.
  const logRejection = (message: ConsoleMessage) => log.warn({ refused: message.text().slice(0, 300) }, 'rendering.rejected')
  page.on('request', handleRequest)
  page.on('console', logRejection)
  try {
    if (page.url() !== shellUrl) await page.goto(shellUrl, { timeout: 0 })
    await page.setContent(html.replace('</head>', `${hiddenOnScreen}</head>`), { timeout: 0, waitUntil: 'load' })
    await page.evaluate(prepareDocument)
    return await printToPdf(page)
  } finally {
    page.off('request', handleRequest)
    page.off('console', logRejection)
  }
}

/**
 * The page is never shown, and printing lays it out again for paper. Without a layout for the screen, a document costs the
 * browser a third less.
 */
const hiddenOnScreen = '<style media="screen">body { display: none !important }</style>'

const sessions = new WeakMap<Page, Promise<CDPSession>>()

/**
 * Prints with one command of the protocol. `page.pdf()` transfers the file in a stream of several commands, which costs this process and the
 * browser two milliseconds each.
 */
async function printToPdf(page: Page): Promise<Uint8Array> {
  const session = sessions.get(page) ?? page.createCDPSession()
  sessions.set(page, session)
  const { data } = await (await session).send('Page.printToPDF', pdfOptions)
  const { buffer, byteOffset, length } = Buffer.from(data, 'base64')
  return new Uint8Array(buffer, byteOffset, length)
}

const pdfOptions = { preferCSSPageSize: true, printBackground: true, generateTaggedPDF: true, transferMode: 'ReturnAsBase64' } as const

/**
 * Replaces pictures that cannot be decoded by their text; their headers were checked before. `image.decode()` also resolves for damaged
 * pictures, whereas a bitmap needs all pixels.
 */
const replaceDamagedPictures = `Promise.all(Array.from(document.images, (image) =>
  createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 }).catch(() => {
    const text = document.createElement('p')
    text.className = image.className
    text.append(document.createElement('bdi'))
    text.firstChild.textContent = image.alt
    image.replaceWith(text)
  })))`

/** Loads all fonts, because nothing is laid out before printing. A document is not printed if one of its fonts is missing. */
const loadFonts = 'Promise.all(Array.from(document.fonts, (font) => font.load()))'

const prepareDocument = `${replaceDamagedPictures}.then(() => ${loadFonts}).then(() => {})`

const immutableHeaders = { 'cache-control': 'max-age=31536000, immutable' }

async function serve(request: HTTPRequest, log: Logger): Promise<void> {
  const url = request.url()
  try {
    if (url.startsWith('data:')) return await request.continue()
    if (url === shellUrl && request.isNavigationRequest() && request.frame()?.parentFrame() === null) {
      const headers = { 'content-security-policy': contentSecurityPolicy }
      return await request.respond({ status: 200, contentType: 'text/html; charset=utf-8', headers, body: '' })
    }
    const bytes = fontAt(url, log)
    if (bytes) return await request.respond({ status: 200, contentType: 'font/woff2', headers: immutableHeaders, body: bytes })
    log.warn({ url: url.slice(0, 200) }, 'rendering.request-blocked')
    await request.abort('accessdenied')
  } catch {
    // The page is closed. The caller receives the error from the page.
  }
}

function fontAt(url: string, log: Logger): Uint8Array | null {
  const font = url.startsWith(shellUrl) ? parseFontPath(new URL(url).pathname) : null
  if (!font) return null
  try {
    return fontFile(font).bytes
  } catch (error) {
    log.error({ err: error, ...font }, 'rendering.font-unreadable')
    return null
  }
}
