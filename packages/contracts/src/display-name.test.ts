import { expect, test } from 'vitest'
import { displayName } from './display-name.ts'

const name = displayName({ min: 1, max: 20 })

test.each(['Ledger', '  Ledger ', 'Söhne & Co. #1', '帳簿', 'מאזן', 'دفتر', 'बही', '❤️', '7', '–'])(
  'accepts a name with visible characters: %s',
  (text) => {
    expect(name.parse(text)).toBe(text.trim())
  },
)

test.each([
  ['a right-to-left override', 'Pay\u202Elap'],
  ['an isolate', 'Pay\u2067pal'],
  ['a left-to-right mark', 'Paypal\u200E'],
  ['a zero-width space', 'Pay\u200Bpal'],
  ['a byte order mark inside', 'Pay\uFEFFpal'],
  ['a soft hyphen', 'Pay\u00ADpal'],
  ['a tag character', 'Paypal\u{E0041}'],
  ['a line feed', 'Ledger\nVerified'],
  ['a line separator', 'Ledger\u2028Verified'],
  ['a control character', 'Ledger\u0007'],
  ['NUL', 'Ledger\0'],
  ['nothing', ''],
  ['spaces', ' \u3000 '],
  ['zero-width characters alone', '\u200B\u200D'],
  ['a Hangul filler', '\u3164\u3164\u3164'],
  ['an empty Braille pattern', '\u2800\u2800\u2800'],
  ['combining marks alone', '\u0301\uFE0F'],
  ['too many characters', 'x'.repeat(21)],
])('rejects a name with %s', (_, text) => {
  expect(name.safeParse(text).success).toBe(false)
})
