import { isIP, isIPv4 } from 'node:net'
import { Origins, Port, readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))
const list = (defaultValue = '') =>
  z
    .string()
    .default(defaultValue)
    .transform((value) =>
      value
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )

export const GatewayConfig = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on.'),
  PORT: Port.default(8080).describe('Port the API listens on.'),
  BASE_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the API.'),
  AUTH_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the sign-in and consent pages.'),
  PAGES_URL: address.optional().describe('Public address of the pages for buyers; BASE_URL if unset. A separate host serves pages only.'),
  RATE_LIMIT_PER_SECOND: z.coerce
    .number()
    .int()
    .min(0)
    .default(100)
    .describe('Maximum requests per second and IP address; 0 for no limit.'),
  RATE_LIMIT_STORE_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Valkey or Redis for a rate limit shared by all replicas; unset, each replica counts alone.'),
  TRUSTED_PROXIES: list()
    .refine((networks) => networks.every(isNetwork), 'must be IP addresses and networks like 10.0.0.0/8, separated by commas')
    .describe('Addresses and networks whose X-Forwarded-For is trusted, comma-separated; unset, none.'),
  CORS_ORIGINS: list('*').describe('Origins of pages that may read responses, comma-separated; * for any page, empty for none.'),
  MAX_IN_FLIGHT: z.coerce
    .number()
    .int()
    .positive()
    .default(2_000)
    .describe('Maximum number of requests in progress; further ones are rejected.'),
  MAX_EVENT_LOOP_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Maximum event-loop delay in milliseconds, above which requests are rejected; 0 for no limit.'),
  STOP_NOTICE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Milliseconds between the failing readiness probe and the closed port when the gateway stops, for load balancers to notice.'),
  BODY_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .positive()
    .default(524_288)
    .describe('Maximum size of a request body in bytes; some operations have their own limit.'),
  INVOICES_HTTP_URL: Origins.prefault('').describe('Internal addresses of the invoices replicas, comma-separated; they stream documents.'),
  AUTH_HTTP_URL: Origins.prefault('').describe(
    'Internal addresses of the auth replicas, comma-separated; they serve OAuth and the sign-in pages.',
  ),
  STOREFRONT_HTTP_URL: Origins.prefault('').describe(
    'Internal addresses of the storefront replicas, comma-separated; they serve the pages for buyers.',
  ),
  PAGES_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('Secret of the page servers: their calls count on the visitor that they name. Unset, they count on the page server.'),
  MAIL_HTTP_URL: Origins.prefault('').describe(
    'Internal addresses of the mail replicas, comma-separated; they show the local mailbox, if there is one.',
  ),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().positive().default(10_000).describe('Timeout of a request to a service in milliseconds.'),
})

export const config = () => readConfig(GatewayConfig, ['CORS_ORIGINS'])

/** Names of private networks that the HTTP server knows. */
const namedNetworks = new Set(['loopback', 'linklocal', 'uniquelocal'])

/** Whether the HTTP server accepts the text as a network: an address, an address with a prefix length or an IPv4 mask, or a name. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return namedNetworks.has(text)
  if (prefix === undefined || (family === 4 && isIPv4(prefix))) return true
  return /^[1-9]\d*$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}
