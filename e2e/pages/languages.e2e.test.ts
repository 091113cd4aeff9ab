import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOverflow, findViolations, launchChromium, openVisit, press, screenshot, type Browser } from '../browser/chromium.ts'
import { openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

const all = ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'ja', 'ko', 'nl', 'pt', 'zh', 'zh-Hant']

test('every language has its lang and dir, fits a narrow window, and passes axe [pages 115] [pages 117] [pages 120]', async () => {
  const { url } = await shop.checkout()
  await using visit = await openVisit(browser, { width: 320, scripts: false })
  const { page } = visit
  for (const language of all) {
    await page.goto(`${url}?locale=${language}`)
    const { lang, dir } = await page.$eval('html', (html) => ({ lang: html.getAttribute('lang'), dir: html.getAttribute('dir') }))
    expect({ language, lang, dir }).toEqual({ language, lang: language, dir: ['ar', 'he'].includes(language) ? 'rtl' : 'ltr' })
    await screenshot(page, `language-${language}`)
    expect({ language, overflow: await findOverflow(page), violations: await findViolations(page) }).toEqual({
      language,
      overflow: 0,
      violations: [],
    })
  }
})

test.each([true, false])('the Enter key in a field keeps the language, with scripts: %s', async (scripts) => {
  const checkout = await shop.checkout()
  const slug = system.demo.organization.slug
  await using visit = await openVisit(browser, { scripts })
  const { page, posts } = visit
  for (const [url, field, intent] of [
    [`${checkout.url}?locale=en`, '[name=customer_name]', 'update'],
    [`${new URL(checkout.url).origin}/${slug}/withdraw?locale=en`, '[name=name]', 'next'],
  ] as const) {
    await page.goto(url)
    await page.type(field, 'Grace Hopper')
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.keyboard.press('Enter')
    await answered
    await page.waitForNetworkIdle()
    const sent = new URLSearchParams(posts.at(-1))
    expect({ intent: sent.get('intent'), language: sent.get('switch_locale') }).toEqual({ intent, language: null })
  }
})

test('a German buyer’s button on a German page has exactly the words of the directive [pages 30]', async () => {
  await using visit = await openVisit(browser, { language: 'de-DE' })
  const { page } = visit
  await page.goto((await shop.checkout()).url)
  expect(await page.$eval(orderButton, (button) => button.textContent.trim())).toBe('Zahlungspflichtig bestellen')
})

test('switching the language keeps what was typed [pages 116]', async () => {
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto((await shop.checkout()).url)
  await page.type('[name=customer_email]', 'grace@example.com')
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.click('.language > summary')
  await press(page, '.languages [value=ar]')
  expect(await page.$eval('html', (html) => html.getAttribute('dir'))).toBe('rtl')
  const values = await page.$$eval('[name=customer_email], [name=customer_name]', (fields) =>
    (fields as unknown as { value: string }[]).map(({ value }) => value),
  )
  expect(values).toEqual(['grace@example.com', 'Grace Hopper'])
})
