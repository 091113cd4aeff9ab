import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { findChromium } from '@quittance/testing/engines/chromium'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { launch, type Browser, type CDPSession, type HTTPResponse, type Page, type Protocol } from 'puppeteer'

export type { Browser, CDPSession, HTTPResponse, Page, Protocol }

/** Launches a real browser; as root it must run without its sandbox. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium(() => {})
  return launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/** A separate browser context without shared cookies; page scripts are disabled unless requested. */
export interface BrowserWindow extends AsyncDisposable {
  page: Page
  /** Lines of the console, including violations of the page's policy, without failed resource loads. */
  consoleMessages: readonly string[]
}

export async function openWindow(browser: Browser, { scripts = false }: { scripts?: boolean } = {}): Promise<BrowserWindow> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  // A busy machine is not a failure.
  page.setDefaultTimeout(120_000)
  await page.setJavaScriptEnabled(scripts)
  const consoleMessages: string[] = []
  page.on('console', (message) => {
    const text = message.text()
    // Chromium prints the second if a test acts before the page has handled `autofocus`.
    if (!/^(Failed to load resource|Autofocus processing was blocked)/.test(text)) consoleMessages.push(text)
  })
  return { page, consoleMessages, [Symbol.asyncDispose]: () => context.close() }
}

const folder = join(import.meta.dirname, '../artefacts/oauth')

/** Saves a screenshot for manual review. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** An application opened in the browser: a server that receives the callbacks. */
export interface CallbackServer extends AsyncDisposable {
  redirectUri: string
  /** Parameters of the callbacks, in order. */
  received: Record<string, string>[]
}

export async function startCallbackServer(): Promise<CallbackServer> {
  const [port = 0] = await freePorts(1)
  const origin = `http://127.0.0.1:${port}`
  const received: Record<string, string>[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin)
    if (url.pathname === '/callback') received.push(Object.fromEntries(url.searchParams))
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Back</title><p>You are back.')
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    redirectUri: `${origin}/callback`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
