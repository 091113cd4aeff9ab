import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

export const OrdersConfig = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .describe('Public address of the API.'),
  PAGES_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Public address of the pages for buyers, with which their links begin; BASE_URL if unset.'),
  MAIL_KEY: SecretKeys.optional().describe(
    'Key of mail, which encrypts sign-in codes on their way to it. Unset: customers cannot sign in by code.',
  ),
  SANDBOX_PAYMENTS: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether orders are paid by the sandbox, where ctoken_ok pays for everything. Never where money is real.'),
  SANDBOX_PAYMENTS_OVER_HTTPS: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether the sandbox may be on where BASE_URL is an https address; otherwise that stops the start.'),
  SANDBOX_SLOW_PAYMENT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(5_000)
    .describe('How long the sandbox takes to complete a payment with ctoken_slow.'),
  CONFIRM_WAIT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(8_000)
    .default(6_000)
    .describe(
      'How long the confirmation of a checkout, and a change of product, wait for the first result of their payment; less than the deadline of the gateway.',
    ),
  SANDBOX_TEST_CLOCK: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether organizations may advance the clock their subscriptions live by. Never where money is real.'),
  PAYMENT_PROVIDERS: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((name) => name.trim() || []))
    // Earlier releases listed the sandbox, too.
    .refine((names) => names.every((name) => ['sandbox', 'stripe', 'bank_transfer'].includes(name)), 'must name stripe or bank_transfer')
    .describe(
      'Payment providers that organizations may use, comma-separated: stripe, bank_transfer. SANDBOX_PAYMENTS enables the sandbox.',
    ),
  SECRETS_KEY: SecretKeys.optional().describe(
    'Encrypts the credentials of payment accounts: 32 bytes in base64; several during a rotation, of which the first encrypts. Without it no account can be connected.',
  ),
  STRIPE_API_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.stripe.com')
    .describe('Address of the API of Stripe; another one for tests only.'),
})

export const config = () => readConfig(OrdersConfig)

/** Returns the address that links to pages begin with. */
export const pagesUrl = () => (config().PAGES_URL ?? config().BASE_URL).replace(/\/+$/, '')
