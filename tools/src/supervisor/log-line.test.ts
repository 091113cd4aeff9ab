import { expect, test } from 'vitest'
import { formatLogLine } from './log-line.ts'

const entry = { level: 'warn', time: '2026-01-01T00:00:00.000Z', service: 'webhooks', event: 'delivery.failed', endpoint_id: 'e1' }

test('shortens a warning to one line with its fields', () => {
  expect(formatLogLine(JSON.stringify(entry))).toBe('warn delivery.failed endpoint_id=e1')
})

test('shows every line of an error message in one, and no stack', () => {
  const format = (message: string) => formatLogLine(JSON.stringify({ ...entry, level: 'error', err: { message, stack: 'at …' } }))
  const invalid = 'The environment is invalid:\n  RATE_LIMIT_PER_SECOND: Too small\n  PORT: Invalid number'
  expect(format(invalid)).toBe(
    'error delivery.failed (The environment is invalid: RATE_LIMIT_PER_SECOND: Too small; PORT: Invalid number) endpoint_id=e1',
  )
  expect(format('no route\nto host')).toBe('error delivery.failed (no route; to host) endpoint_id=e1')
  expect(format('x\n'.repeat(10_000))?.length).toBeLessThan(700)
})

test('truncates long values', () => {
  expect(formatLogLine(JSON.stringify({ ...entry, detail: 'x'.repeat(500) }))?.length).toBeLessThan(160)
})

test.each(['{"level":"info","event":"order.paid"}', 'Listening', 'null', '[1]'])('does not show %s', (line) => {
  expect(formatLogLine(line)).toBeNull()
})
