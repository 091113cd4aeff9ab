import { RequestValidationError } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { parseExpiry } from './access-token.ts'

const now = new Date('2028-01-31T10:00:00.000Z')

test.each([
  [null, null],
  [90, '2028-01-31T10:01:30.000Z'],
  ['PT90S', '2028-01-31T10:01:30.000Z'],
  ['PT1.5S', '2028-01-31T10:00:01.500Z'],
  ['PT1,5S', '2028-01-31T10:00:01.500Z'],
  ['P30D', '2028-03-01T10:00:00.000Z'],
  ['P2W', '2028-02-14T10:00:00.000Z'],
  ['P1DT2H3M4S', '2028-02-01T12:03:04.000Z'],
])('%s ends at %s', (expiresIn, end) => {
  expect(parseExpiry(expiresIn, now)?.toISOString() ?? null).toBe(end)
})

test.each([
  ['P1M', '2028-02-29T10:00:00.000Z'],
  ['P13M', '2029-02-28T10:00:00.000Z'],
  ['P1Y', '2029-01-31T10:00:00.000Z'],
  ['P1Y2M', '2029-03-31T10:00:00.000Z'],
])('months and years follow the calendar: %s ends at %s', (expiresIn, end) => {
  expect(parseExpiry(expiresIn, now)?.toISOString()).toBe(end)
})

test('one year after a leap day is the last day of February', () => {
  expect(parseExpiry('P1Y', new Date('2028-02-29T00:00:00Z'))?.toISOString()).toBe('2029-02-28T00:00:00.000Z')
})

test.each(['PT0S', 'P0D', 'PT0.5S', 'P101Y', 'P999999999999999Y', 'tomorrow', 3_153_600_001, 0])(
  'rejects less than a second, more than 100 years and other input: %s',
  (expiresIn) => {
    expect(() => parseExpiry(expiresIn, now)).toThrow(RequestValidationError)
  },
)
