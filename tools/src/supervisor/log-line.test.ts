import { expect, test } from 'vitest'
import { humanLine } from './log-line.ts'

const entry = { level: 'warn', time: '2026-01-01T00:00:00.000Z', service: 'webhooks', event: 'delivery.failed', endpoint_id: 'e1' }

test('a warning becomes one short line with its fields', () => {
  expect(humanLine(JSON.stringify(entry))).toBe('warn delivery.failed endpoint_id=e1')
})

test('an error shows the first line of its message and no stack', () => {
  const line = humanLine(JSON.stringify({ ...entry, level: 'error', err: { message: 'no route\nto host', stack: 'at …' } }))
  expect(line).toBe('error delivery.failed (no route) endpoint_id=e1')
})

test('long values are cut', () => {
  expect(humanLine(JSON.stringify({ ...entry, detail: 'x'.repeat(500) }))?.length).toBeLessThan(160)
})

test.each(['{"level":"info","event":"order.paid"}', 'Listening', 'null', '[1]'])('%s is not shown', (line) => {
  expect(humanLine(line)).toBeNull()
})
