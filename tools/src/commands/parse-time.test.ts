import { expect, test } from 'vitest'
import { parseTime } from './parse-time.ts'

const now = new Date('2026-11-28T12:00:00Z')
const parse = (text: string) => parseTime('--since', { text, now }).toISOString()

test('reads a day, a time with its offset, and an age', () => {
  expect(parse('2026-11-22')).toBe('2026-11-22T00:00:00.000Z')
  expect(parse('2026-11-22T03:00Z')).toBe('2026-11-22T03:00:00.000Z')
  expect(parse('2026-11-22T03:00:00.5+01:00')).toBe('2026-11-22T02:00:00.500Z')
  expect(parse('15m')).toBe('2026-11-28T11:45:00.000Z')
})

test.each(['5', '12', '2026', 'yesterday', '2026-11-22T03:00', '22 Nov 2026', '2026-13-01', '999999d', '-000001-01-01T00:00:00Z'])(
  'rejects %s, which is no such time',
  (text) => {
    expect(() => parse(text)).toThrow('--since must be a time like 2026-11-22T03:00:00Z or 15m')
  },
)
