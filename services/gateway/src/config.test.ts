import { afterEach, expect, test, vi } from 'vitest'
import { config } from './config.ts'

afterEach(() => vi.unstubAllEnvs())

test('no page may read responses if the list of origins is empty, and an empty rate limit is the default', () => {
  // Vitest sets its own.
  vi.stubEnv('BASE_URL', undefined)
  vi.stubEnv('CORS_ORIGINS', '')
  vi.stubEnv('RATE_LIMIT_PER_SECOND', '')
  expect(config()).toMatchObject({ CORS_ORIGINS: [], RATE_LIMIT_PER_SECOND: 100 })
})
