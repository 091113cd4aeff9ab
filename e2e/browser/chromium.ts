import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from '@quittance/testing/engines/chromium'
import { eventually } from '@quittance/testing/eventually'
import axe from 'axe-core'
import { launch, type Browser, type CDPSession, type HTTPResponse, type Page, type Protocol } from 'puppeteer'

export type { Browser, CDPSession, HTTPResponse, Page, Protocol }

/** Launches a real browser; as root it must run without its sandbox. `localHost` is a name that leads to this machine. */
export async function launchChromium({ localHost }: { localHost?: string } = {}): Promise<Browser> {
  const executablePath = await findChromium(() => {})
  const rules = localHost ? [`--host-resolver-rules=MAP ${localHost} 127.0.0.1`] : []
  return launch({ executablePath, args: [...rules, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] })
}

/** Longer than the browser waits by default: a busy machine is not a failure. */
const busyMachineMs = 120_000

/** A kind of visitor. */
export interface VisitorOptions {
  scripts?: boolean
  width?: number
  scheme?: 'light' | 'dark'
  /** `Accept-Language`. */
  language?: string
}

/** A separate browser context, and everything that a visit must not cause. */
export interface Visit extends AsyncDisposable {
  page: Page
  /** Lines of the console, including violations of the page's policy, without failed resource loads. */
  complaints: readonly string[]
  /** URLs of all requests. */
  requests: readonly string[]
  /** Bodies of the forms that were sent. */
  posts: readonly string[]
}

/** Opens a window of a visitor. */
export async function openVisit(
  browser: Browser,
  { scripts = true, width = 1280, scheme = 'light', language = 'en-US' }: VisitorOptions = {},
): Promise<Visit> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(busyMachineMs)
  await page.setViewport({ width, height: width < 500 ? 844 : 900 })
  await page.setExtraHTTPHeaders({ 'accept-language': language })
  await page.setJavaScriptEnabled(scripts)
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  const [complaints, requests, posts]: [string[], string[], string[]] = [[], [], []]
  page.on('console', (message) => {
    // Chromium prints the second if a test acts before the page has handled `autofocus`.
    if (!/^(Failed to load resource|Autofocus processing was blocked)/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    requests.push(request.url())
    const body = request.postData()
    if (body !== undefined) posts.push(body)
  })
  return { page, complaints, requests, posts, [Symbol.asyncDispose]: () => context.close() }
}

/** Clicks what leads to another page. A click that reached something else, because the script of the page moved its target, is repeated. */
export async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), eventually(() => click(page, selector), { withinMs: 10_000 })])
}

/** Rejects if the click did not reach the element. Pages without scripts move nothing. */
async function click(page: Page, selector: string): Promise<void> {
  if (!page.isJavaScriptEnabled()) return page.click(selector)
  const element = await page.$(selector)
  if (!element) throw new Error(`The page has no ${selector}`)
  await element.evaluate((target: EventTarget & { wasClicked?: boolean }) =>
    target.addEventListener('click', () => (target.wasClicked = true)),
  )
  await element.click()
  // An element that cannot be read any more has left with its page: the click reached it.
  const wasClicked = await element.evaluate((target: { wasClicked?: boolean }) => target.wasClicked).catch(() => true)
  if (!wasClicked) throw new Error(`The click did not reach ${selector}`)
}

/** Types into a field that the script of the page may replace at that moment: keys pressed on a replaced field go nowhere. */
export function typeInto(page: Page, selector: string, text: string): Promise<void> {
  return eventually(async () => {
    const field = await page.waitForSelector(selector)
    await field?.evaluate((input) => ((input as unknown as { value: string }).value = ''))
    await field?.type(text)
    const typed = await page.$eval(selector, (input) => (input as unknown as { value: string }).value)
    if (typed !== text) throw new Error(`The field ${selector} has “${typed}”`)
  })
}

/**
 * Sets the value of a field in one step of the page. `$eval` finds the field and changes it in two: its script may replace it in between, and
 * the value is lost.
 */
export async function setValue(page: Page, selector: string, value: string): Promise<void> {
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).value = ${JSON.stringify(value)}`)
}

/** Returns the visible text of the page. */
export function readText(page: Page): Promise<string> {
  return page.$eval('main', (main) => (main as unknown as { innerText: string }).innerText)
}

/** Returns the violations of WCAG 2.2 A and AA and of best practices that axe-core finds, one line each. The policy of the page stays on; frames of other origins are not checked. */
export async function findViolations(page: Page): Promise<string[]> {
  const hadScripts = page.isJavaScriptEnabled()
  // axe-core waits with timers, which do not run while scripts are disabled.
  await page.setJavaScriptEnabled(true)
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run({ iframes: false })')) as axe.AxeResults
  await page.setJavaScriptEnabled(hadScripts)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

/** Returns by how much the page is wider than the window; 0 for a page that fits. */
export function findOverflow(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.scrollingElement.scrollWidth - window.innerWidth)') as Promise<number>
}

const folder = join(import.meta.dirname, '../artefacts')

/** Saves a screenshot for manual review. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
