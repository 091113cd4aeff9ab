import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, type Browser, type Page } from '../browser/chromium.ts'
import { openShop, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

interface Vitals {
  /** Milliseconds from the start of the navigation. */
  lcpMs: number
  cls: number
}

const observe = `
  globalThis.vitals = { lcpMs: 0, cls: 0 }
  new PerformanceObserver((list) => list.getEntries().forEach(({ startTime }) => (vitals.lcpMs = startTime)))
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => hadRecentInput || (vitals.cls += value)))
    .observe({ type: 'layout-shift', buffered: true })`

/** Milliseconds of the computation below on a core of a cloud machine that does nothing else. */
const referenceMs = 50
const compute = `(() => {
  const from = performance.now()
  for (let count = 0, sum = 0; count < 1e7; count++) sum = (sum * 31 + count) % 65_521
  return performance.now() - from
})()`

/** Returns how many times slower the CPU must be made, to be a quarter of that core: less on a busy machine. */
async function chooseThrottling(page: Page): Promise<number> {
  const times = [await page.evaluate(compute), await page.evaluate(compute)] as number[]
  return Math.min(4, Math.max(1, (4 * referenceMs) / Math.min(...times)))
}

/** Opens a page over 1.6 Mbit/s and 150 ms with a quarter of the CPU. */
async function measure(url: string, { width, language }: { width: number; language: string }): Promise<Vitals> {
  await using visit = await openVisit(browser, { width, language })
  const { page } = visit
  await page.evaluateOnNewDocument(observe)
  const devTools = await page.createCDPSession()
  const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
  await devTools.send('Network.emulateNetworkConditions', line)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: await chooseThrottling(page) })
  // Also the first total, for the country of the browser, which changes parts of the page.
  await page.goto(url, { waitUntil: 'networkidle0' })
  return (await page.evaluate('vitals')) as Vitals
}

const limitMs = 1_500

test.each([
  [390, 'de-DE'],
  [1280, 'en-US'],
])('%i px wide, %s: the checkout paints within 1.5 s on a slow line, and nothing moves [pages 122]', async (width, language) => {
  const visits: Vitals[] = []
  const best = () => Math.min(...visits.map(({ lcpMs }) => lcpMs))
  // The best of three, and of more while other tests occupy the machine: a page that is too slow at rest never meets the limit.
  while (visits.length < 3 || (visits.length < 15 && best() >= limitMs))
    visits.push(await measure((await shop.checkout()).url, { width, language }))
  expect(best()).toBeGreaterThan(0)
  expect(best()).toBeLessThan(limitMs)
  expect(Math.max(...visits.map(({ cls }) => cls))).toBeLessThanOrEqual(0.02)
})
