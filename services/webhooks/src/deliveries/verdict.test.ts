import { expect, test } from 'vitest'
import type { Outcome } from './attempt.ts'
import { judge } from './verdict.ts'

const now = new Date('2026-11-20T12:00:00Z')
const common = { schedule: [5, 300], random: 0.5, now }
const answered = (status: number, reason: Outcome['reason']): Outcome => ({ status, reason, excerpt: '', retryAfter: null, durationMs: 10 })

test('an answer without a reason against it ends the delivery well', () => {
  expect(judge({ ...common, outcome: answered(204, null), tries: 1 })).toEqual({ status: 'succeeded', waitMs: null })
})

test('a failure waits for its retry while the schedule lasts', () => {
  expect(judge({ ...common, outcome: answered(500, 'http_status'), tries: 2 })).toEqual({ status: 'pending', waitMs: 300_000 })
  expect(judge({ ...common, outcome: answered(500, 'http_status'), tries: 3 })).toEqual({ status: 'failed', waitMs: null })
})

test('an endpoint that is gone is not asked again', () => {
  expect(judge({ ...common, outcome: answered(410, 'gone'), tries: 1 })).toEqual({ status: 'failed', waitMs: null })
})

test('an endpoint that asks for patience gets it', () => {
  const outcome = { ...answered(429, 'http_status'), retryAfter: '120' }
  expect(judge({ ...common, outcome, tries: 1 })).toEqual({ status: 'pending', waitMs: 120_000 })
})
