import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { readConfig } from './config.ts'

afterEach(() => vi.unstubAllEnvs())

test.each(['', ' '])('an empty value (%j) is a setting that is not set', (empty) => {
  vi.stubEnv('LIMIT_OF_TEST', empty)
  vi.stubEnv('ADDRESS_OF_TEST', empty)
  const schema = z.object({ LIMIT_OF_TEST: z.coerce.number().int().min(0).default(100), ADDRESS_OF_TEST: z.url().optional() })
  expect(readConfig(schema)).toEqual({ LIMIT_OF_TEST: 100 })
})

test('an invalid setting is named, and its value is not printed', () => {
  vi.stubEnv('SECRET_OF_TEST', 'not-a-number')
  const schema = z.object({ SECRET_OF_TEST: z.coerce.number() })
  expect(() => readConfig(schema)).toThrow(/^The environment is invalid:\n {2}SECRET_OF_TEST: (?!.*not-a-number)/)
})
