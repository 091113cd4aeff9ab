import { expect, test } from 'vitest'
import { launchBrowser } from '../src/rendering/launch-browser.ts'

test('a browser opens more pages after two that were opened at the same time', async () => {
  const { browser, openPage, close } = await launchBrowser({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' })
  try {
    const pages = await Promise.all([openPage(), openPage()])
    pages.push(await openPage(), ...(await Promise.all([openPage(), openPage()])))
    expect([browser.connected, ...pages.map((page) => page.isClosed())]).toEqual([true, false, false, false, false, false])
  } finally {
    await close()
  }
})
