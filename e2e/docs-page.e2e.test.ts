import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openVisit, type Browser, type HTTPResponse } from './browser/chromium.ts'

let system: RunningSystem
let browser: Browser

beforeAll(async () => {
  system = await useSharedSystem()
  browser = await launchChromium()
})
afterAll(() => browser.close())

test('shows operations and the change history, contacts no other host, complies with its policy', async () => {
  await using visit = await openVisit(browser)
  const { page, complaints, requests } = visit
  const origin = system.readReadyFile().base_url
  // Passed as text: code that runs in the page is not compiled with this file.
  const readPageText = async () => String(await page.evaluate('document.body.innerText'))
  // A gateway that is overloaded rejects a script with 503, and the page asks to be reloaded.
  await eventually(
    async () => {
      const rejected: string[] = []
      const noteRejected = (response: HTTPResponse) => {
        if (!response.ok()) rejected.push(`${response.status()} ${response.url()}`)
      }
      page.on('response', noteRejected)
      await page.goto(`${origin}/docs`, { waitUntil: 'networkidle0' })
      page.off('response', noteRejected)
      expect({ rejected, text: await readPageText() }).toEqual({ rejected: [], text: expect.stringMatching(/Changes[^]*2025-06-05/) })
    },
    { withinMs: 120_000 },
  )
  expect(await readPageText()).toContain('/v1/users/me')
  expect(await readPageText()).not.toContain('Reload the page')
  expect(requests.filter((url) => !url.startsWith(origin) && !/^(data|blob|about):/.test(url))).toEqual([])
  expect(complaints.filter((line) => /Content.Security|Refused to/i.test(line))).toEqual([])
})
