import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { readConfig, RuntimeConfig } from './config.ts'

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

test.each([
  'postgres://orders:p%2F@db.example:5432/orders',
  'postgresql:///orders?host=/run/postgresql',
  'socket:/run/postgresql?db=orders',
  '/run/postgresql orders',
])('accepts a database at %s', (url) => {
  expect(RuntimeConfig.parse({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
})

test.each([
  ['DATABASE_URL', 'postgres://orders:se/cret@db.example/orders'],
  ['MIGRATION_DATABASE_URL', 'orders'],
  ['NATS_URL', 'nats://orders:orders@nats-1:4222,nats://orders:se/cret@nats-2:4222'],
])('a %s that is not a URL is named, and its value is not printed', (name, url) => {
  const { error } = RuntimeConfig.safeParse({ [name]: url })
  expect(error?.issues).toMatchObject([
    { path: [name], message: expect.stringMatching(/^must be a URL such as .* percent-encoded$/) as string },
  ])
  expect(JSON.stringify(error)).not.toContain(url)
})

test.each(['nats', '10.0.0.1:4222,10.0.0.2:4222', 'tls://orders:orders@nats.example:4222'])('accepts NATS servers at %s', (urls) => {
  expect(RuntimeConfig.parse({ NATS_URL: urls }).NATS_URL).toBe(urls)
})

test.each(['wss://nats.example', 'http://nats.example:4222', 'tls://nats-1:4222,nats-2:4222'])('rejects NATS servers at %s', (urls) => {
  const { error } = RuntimeConfig.safeParse({ NATS_URL: urls })
  expect(error?.issues).toMatchObject([{ path: ['NATS_URL'], message: expect.stringMatching(/^must begin with /) as string }])
})
