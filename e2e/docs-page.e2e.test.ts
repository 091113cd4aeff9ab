import { eventually } from '@quittance/testing/eventually'
import { joinSystem } from '@quittance/testing/join-system'
import type { RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openWindow, type Browser } from './oauth/chromium.ts'

let system: RunningSystem
let browser: Browser

beforeAll(async () => {
  system = await joinSystem()
  browser = await launchChromium()
})
afterAll(() => browser.close())

test('the docs page shows operations and the change history without asking any other host, and breaks no rule of its policy', async () => {
  await using window = await openWindow(browser)
  const { page, complaints } = window
  const origin = system.facts().base_url
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob|about):/.test(request.url())) elsewhere.push(request.url())
  })
  await page.setJavaScriptEnabled(true)
  await page.goto(`${origin}/docs`)
  // As text: what runs in the page is not compiled with the rest.
  const shown = async () => String(await page.evaluate('document.body.innerText'))
  await eventually(async () => expect(await shown()).toMatch(/Changes[^]*2025-06-05/))
  expect(await shown()).toContain('/v1/users/me')
  expect(elsewhere).toEqual([])
  expect(complaints.filter((line) => /Content.Security|Refused to/i.test(line))).toEqual([])
})
