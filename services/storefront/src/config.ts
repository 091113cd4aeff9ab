import { Origins, readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

export const StorefrontConfig = z.object({
  API_HTTP_URL: Origins.prefault('http://127.0.0.1:8080').describe(
    'Internal addresses of the gateways, comma-separated; pages call the API there.',
  ),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .describe('Public address of the API, for links to its reference.'),
  PAGES_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Public address of the pages for buyers; BASE_URL if unset.'),
  PAGES_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('The same secret as at the gateway: calls of a page count on its visitor. Unset, they count on the storefront.'),
  SECRETS_KEY: SecretKeys.prefault(() => randomKey()).describe(
    'Keys of 32 bytes in base64 that seal cookies, comma-separated; the first seals; the same for all replicas. Unset, each start has another.',
  ),
  START_LINKS_FILE: z
    .string()
    .optional()
    .describe('JSON file with the links of the start page to demo data and mailbox; npm start writes it. Unset, the page has none.'),
  STRIPE_JS_URL: z
    .url()
    .default('https://js.stripe.com/endive/stripe.js')
    .describe('Script of Stripe for checkouts of sellers with an account there; another address for tests only.'),
})

function randomKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
}

export const config = () => readConfig(StorefrontConfig)
