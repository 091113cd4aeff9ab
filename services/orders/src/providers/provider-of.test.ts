import { expect, test } from 'vitest'
import { assertSandboxIsPrivate } from './provider-of.ts'

const local = {
  BASE_URL: 'http://127.0.0.1:8080',
  SANDBOX_PAYMENTS: 'on',
  SANDBOX_PAYMENTS_OVER_HTTPS: 'off',
  SANDBOX_SLOW_PAYMENT_MS: 0,
  SANDBOX_TEST_CLOCK: 'off',
} as const
const atHttps = { ...local, BASE_URL: 'https://billing.example.com' }

test('rejects the sandbox at an https address unless it is explicitly allowed', () => {
  expect(() => assertSandboxIsPrivate(atHttps)).toThrow('SANDBOX_PAYMENTS_OVER_HTTPS')
  for (const fine of [
    local,
    { ...atHttps, SANDBOX_PAYMENTS: 'off' as const },
    { ...atHttps, SANDBOX_PAYMENTS_OVER_HTTPS: 'on' as const },
  ]) {
    expect(() => assertSandboxIsPrivate(fine)).not.toThrow()
  }
})
