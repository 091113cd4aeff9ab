import { config } from '../config.ts'
import type { PaymentProcessor } from './payment-processor.ts'
import { sandboxProcessor } from './sandbox-processor.ts'

let replacement: PaymentProcessor | null = null

/** The payment processor of this installation; null if there is none. No other file knows which processors exist. */
export function paymentProcessor(): PaymentProcessor | null {
  if (replacement) return replacement
  return config().SANDBOX_PAYMENTS === 'on' ? sandboxProcessor : null
}

/** Replaces the processor until disposed: for tests that log, slow down or interrupt calls. */
export function replaceProcessor(processor: PaymentProcessor): Disposable {
  replacement = processor
  return { [Symbol.dispose]: () => void (replacement = null) }
}

type SandboxSettings = Pick<ReturnType<typeof config>, 'SANDBOX_PAYMENTS' | 'SANDBOX_PAYMENTS_OVER_HTTPS' | 'BASE_URL'>

/** Throws if the sandbox would take payments at a public address without explicit permission. */
export function assertSandboxIsPrivate({ SANDBOX_PAYMENTS, SANDBOX_PAYMENTS_OVER_HTTPS, BASE_URL }: SandboxSettings): void {
  if (SANDBOX_PAYMENTS !== 'on' || SANDBOX_PAYMENTS_OVER_HTTPS === 'on' || new URL(BASE_URL).protocol !== 'https:') return
  throw new Error(
    'SANDBOX_PAYMENTS is on and BASE_URL is an https address: anyone could pay with ctoken_ok. Set SANDBOX_PAYMENTS_OVER_HTTPS=on to allow this.',
  )
}
