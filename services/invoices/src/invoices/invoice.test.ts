import { expect, test } from 'vitest'
import { Invoice, maxAttempts } from './invoice.ts'

const now = new Date('2026-11-20T12:00:00Z')

function requested(attempts: number): Invoice {
  return Object.assign(Object.create(Invoice.prototype) as Invoice, {
    status: 'requested',
    attempts,
    nextAttemptAt: now,
    leasedUntil: now,
    lastError: null,
  })
}

test('waits longer after each failure and fails after the eighth', () => {
  const waits = Array.from({ length: maxAttempts }, (_, index) => {
    const invoice = requested(index + 1)
    invoice.recordFailure('broken', now)
    return invoice.status === 'failed' ? 'failed' : ((invoice.nextAttemptAt?.getTime() ?? 0) - now.getTime()) / 1000
  })
  expect(waits).toEqual([1, 2, 5, 15, 60, 300, 900, 'failed'])
})

test('resets a failed invoice when it is requested again, and leaves others unchanged', () => {
  const failed = requested(8)
  failed.recordFailure('broken', now)
  failed.resetAttempts(now)
  expect(failed).toMatchObject({ status: 'requested', attempts: 0, nextAttemptAt: now })
  const waiting = requested(3)
  waiting.resetAttempts(now)
  expect(waiting.attempts).toBe(3)
})

test('is not leased by an attempt that lost its lease, nor after the invoice is settled', () => {
  expect(requested(2).isLeasedBy(2)).toBe(true)
  expect(requested(3).isLeasedBy(2)).toBe(false)
  expect(Object.assign(requested(2), { status: 'generated' as const }).isLeasedBy(2)).toBe(false)
})
