import { expect, test } from 'vitest'
import { formatLogLine } from './log-line.ts'

const entry = { level: 'warn', time: '2026-01-01T00:00:00.000Z', service: 'webhooks', event: 'delivery.failed', endpoint_id: 'e1' }

test('shortens a warning to one line with its fields', () => {
  expect(formatLogLine(JSON.stringify(entry))).toBe('warn delivery.failed endpoint_id=e1')
})

test('shows the first line of an error message and no stack', () => {
  const line = formatLogLine(JSON.stringify({ ...entry, level: 'error', err: { message: 'no route\nto host', stack: 'at …' } }))
  expect(line).toBe('error delivery.failed (no route) endpoint_id=e1')
})

test('truncates long values', () => {
  expect(formatLogLine(JSON.stringify({ ...entry, detail: 'x'.repeat(500) }))?.length).toBeLessThan(160)
})

test.each(['{"level":"info","event":"order.paid"}', 'Listening', 'null', '[1]'])('does not show %s', (line) => {
  expect(formatLogLine(line)).toBeNull()
})
