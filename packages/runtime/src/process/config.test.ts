import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { readConfig } from './config.ts'

afterEach(() => vi.unstubAllEnvs())

test('an empty value is a setting that is not set', () => {
  vi.stubEnv('LIMIT_OF_TEST', '')
  vi.stubEnv('ADDRESS_OF_TEST', '')
  const schema = z.object({ LIMIT_OF_TEST: z.coerce.number().int().min(0).default(100), ADDRESS_OF_TEST: z.url().optional() })
  expect(readConfig(schema)).toEqual({ LIMIT_OF_TEST: 100 })
})

test('an invalid setting is named, and its value is not printed', () => {
  vi.stubEnv('SECRET_OF_TEST', 'not-a-number')
  const schema = z.object({ SECRET_OF_TEST: z.coerce.number() })
  expect(() => readConfig(schema)).toThrow(/^The environment is invalid:\n {2}SECRET_OF_TEST: (?!.*not-a-number)/)
})
