import { expect, test } from 'vitest'
import { describeBrowser } from './account-page.ts'

test('names browser and system, ignoring the older names in a User-Agent', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  expect(describeBrowser(`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/140.0.0.0 Safari/537.36`)).toBe('Chrome on Linux')
  expect(describeBrowser(`Mozilla/5.0 (Windows NT 10.0; Win64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`)).toBe(
    'Edge on Windows',
  )
  expect(describeBrowser('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1')).toBe(
    'Safari on iPhone',
  )
  expect(describeBrowser('Mozilla/5.0 (Macintosh; Intel Mac OS X 14.5; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('Firefox on Mac')
})

test('shows an unknown User-Agent unchanged', () => {
  expect(describeBrowser('node')).toBe('node')
  expect(describeBrowser(null)).toBe('Unknown browser')
})
