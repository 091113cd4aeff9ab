import { expect, test } from 'vitest'
import { Id, Timestamp } from './identifiers.ts'
import { after } from './pagination.ts'

const rejected = 'a time between the years 1 and 9999 with an offset of at most 15:59, in at most 149 characters.'

test('reads an id in upper case as the same id', () => {
  expect(Id.parse('0D5F3C1E-8A53-4B0C-9D0A-3F8E2C1B7A90')).toBe('0d5f3c1e-8a53-4b0c-9d0a-3f8e2c1b7a90')
})

test.each(['+00:00', '-00:00', '+15:59', '-15:59', 'Z'])('accepts the offset %s', (offset) => {
  const time = `2026-11-01T12:00:00.123456${offset}`
  expect(Timestamp.parse(time)).toBe(time)
  expect(after.parse(`${time} 0d5f3c1e-8a53-4b0c-9d0a-3f8e2c1b7a90`)).toContain(time)
})

test.each(['+16:00', '-16:00', '+20:00', '+23:59', '-23:59'])('rejects the offset %s, which PostgreSQL cannot read', (offset) => {
  const time = `2026-11-01T12:00:00${offset}`
  expect(Timestamp.safeParse(time).error?.issues[0]?.message).toBe(`Must be ${rejected}`)
  expect(after.safeParse(`${time} 0d5f3c1e-8a53-4b0c-9d0a-3f8e2c1b7a90`).error?.issues[0]?.message).toBe(`Must begin with ${rejected}`)
})

test('accepts a fraction of a second as long as PostgreSQL can read, and rejects a longer one', () => {
  const withDigits = (count: number) => `2026-11-01T12:00:00.${'1'.repeat(count)}Z`
  expect(Timestamp.safeParse(withDigits(128)).success).toBe(true)
  expect(Timestamp.safeParse(withDigits(129)).error?.issues[0]?.message).toBe(`Must be ${rejected}`)
  const position = `${withDigits(129)} 0d5f3c1e-8a53-4b0c-9d0a-3f8e2c1b7a90`
  expect(after.safeParse(position).error?.issues[0]?.message).toBe(`Must begin with ${rejected}`)
})

test.each(['0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])(
  'rejects %s, outside of the years',
  (time) => {
    expect(Timestamp.safeParse(time).success).toBe(false)
  },
)
