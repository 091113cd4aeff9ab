import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openWindow, type Browser } from './oauth/chromium.ts'

let system: RunningSystem
let browser: Browser

beforeAll(async () => {
  system = await useSharedSystem()
  browser = await launchChromium()
})
afterAll(() => browser.close())

test('shows operations and the change history, contacts no other host, complies with its policy', async () => {
  await using window = await openWindow(browser)
  const { page, consoleMessages } = window
  const origin = system.readReadyFile().base_url
  const foreignRequests: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob|about):/.test(request.url())) foreignRequests.push(request.url())
  })
  await page.setJavaScriptEnabled(true)
  await page.goto(`${origin}/docs`)
  // Passed as text: code that runs in the page is not compiled with this file.
  const readPageText = async () => String(await page.evaluate('document.body.innerText'))
  await eventually(async () => expect(await readPageText()).toMatch(/Changes[^]*2025-06-05/))
  expect(await readPageText()).toContain('/v1/users/me')
  expect(foreignRequests).toEqual([])
  expect(consoleMessages.filter((line) => /Content.Security|Refused to/i.test(line))).toEqual([])
})
