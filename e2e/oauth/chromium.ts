import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { findChromium } from '@quittance/testing/engines/chromium'
import { freePorts } from '@quittance/testing/engines/free-ports'
import { launch, type Browser, type CDPSession, type Page, type Protocol } from 'puppeteer'

export type { Browser, CDPSession, Page, Protocol }

/** A real browser; as root it must run without its sandbox. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium(() => {})
  return launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/** A window of its own: no cookies of others, no scripts of pages, and what it complained of. */
export interface Window extends AsyncDisposable {
  page: Page
  /** Lines of the console, breaches of a page's policy among them; a status that means a refusal is none. */
  complaints: readonly string[]
}

export async function openWindow(browser: Browser): Promise<Window> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setJavaScriptEnabled(false)
  const complaints: string[] = []
  page.on('console', (message) => {
    const text = message.text()
    if (!text.startsWith('Failed to load resource')) complaints.push(text)
  })
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

const folder = join(import.meta.dirname, '../artefacts/oauth')

/** Kept for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** An application in front of its browser: a server where call backs arrive. */
export interface CallbackServer extends AsyncDisposable {
  redirectUri: string
  /** Parameters of every call back, in turn. */
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
