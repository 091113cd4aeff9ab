import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../http/post-webhook.ts'
import { HealthEstimate } from './health-estimate.ts'

const outcome = (reason: AttemptOutcome['reason'], { status = 200, durationMs = 10 } = {}): AttemptOutcome => ({
  status,
  reason,
  excerpt: null,
  retryAfter: null,
  durationMs,
})
const failure = outcome('http_status', { status: 503 })

describe('HealthEstimate', () => {
  test('starts with the maximum for a healthy endpoint and with one POST for another', () => {
    expect(new HealthEstimate({ isHealthy: true, failures: 0, maxLimit: 10 })).toMatchObject({ isHealthy: true, limit: 10 })
    expect(new HealthEstimate({ isHealthy: false, failures: 0, maxLimit: 10 })).toMatchObject({ isHealthy: false, limit: 1 })
  })

  test('counts the failures of earlier leases', () => {
    const health = new HealthEstimate({ isHealthy: true, failures: 2, maxLimit: 10 })
    health.record(failure)
    expect(health).toMatchObject({ isHealthy: false, limit: 1 })
  })

  test('raises the limit with each fast success', () => {
    const health = new HealthEstimate({ isHealthy: false, failures: 0, maxLimit: 10 })
    const limits = [1, 2, 3, 4].map(() => (health.record(outcome(null)), health.limit))
    expect(limits).toEqual([2, 4, 10, 10])
    expect(health.isHealthy).toBe(true)
  })

  test('never exceeds a low maximum', () => {
    const health = new HealthEstimate({ isHealthy: false, failures: 0, maxLimit: 1 })
    health.record(outcome(null))
    expect(health.limit).toBe(1)
    health.record(outcome(null, { durationMs: 60_000 }))
    expect(health.limit).toBe(1)
  })

  test('limits an endpoint with slow successes to half of the maximum, outside of the reserved pool', () => {
    const health = new HealthEstimate({ isHealthy: true, failures: 0, maxLimit: 10 })
    health.record(outcome(null, { durationMs: 5_001 }))
    expect(health).toMatchObject({ isHealthy: false, limit: 5 })
    const unproven = new HealthEstimate({ isHealthy: false, failures: 0, maxLimit: 10 })
    const limits = [1, 2, 3].map(() => (unproven.record(outcome(null, { durationMs: 10_000 })), unproven.limit))
    expect(limits).toEqual([2, 4, 5])
  })

  test('removes an endpoint from the reserved pool while a POST takes long, and returns it after a fast success', () => {
    const health = new HealthEstimate({ isHealthy: true, failures: 0, maxLimit: 10 })
    health.slowDown()
    expect(health).toMatchObject({ isHealthy: false, limit: 5 })
    health.record(outcome(null, { durationMs: 1_500 }))
    expect(health).toMatchObject({ isHealthy: true, limit: 10 })
  })

  test('demotes after three consecutive failures of the endpoint', () => {
    const health = new HealthEstimate({ isHealthy: true, failures: 0, maxLimit: 10 })
    for (const each of [failure, failure, outcome('http_status', { status: 404 }), failure, failure]) health.record(each)
    expect(health).toMatchObject({ isHealthy: true, limit: 10 })
    health.record(failure)
    expect(health).toMatchObject({ isHealthy: false, limit: 1 })
  })

  test('demotes after one timeout', () => {
    const health = new HealthEstimate({ isHealthy: true, failures: 0, maxLimit: 10 })
    health.record(outcome('timeout'))
    expect(health).toMatchObject({ isHealthy: false, limit: 1 })
  })
})
