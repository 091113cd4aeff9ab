import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url().transform((url) => url.replace(/\/+$/, ''))
const list = (text = '') =>
  z
    .string()
    .default(text)
    .transform((given) =>
      given
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )

export const GatewayConfig = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on.'),
  PORT: z.coerce.number().int().min(0).default(8080).describe('Port the API listens on.'),
  BASE_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the API.'),
  AUTH_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the pages people sign in and consent on.'),
  RATE_LIMIT_PER_SECOND: z.coerce
    .number()
    .int()
    .min(0)
    .default(100)
    .describe('Requests per second and IP address; 0 switches the limit off.'),
  RATE_LIMIT_STORE_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Valkey or Redis in which replicas count together; unset, each counts alone.'),
  TRUSTED_PROXIES: list().describe('Addresses and networks whose X-Forwarded-For is believed, comma-separated; unset, nobody’s.'),
  CORS_ORIGINS: list('*').describe('Origins of pages that may read answers, comma-separated; * for any page.'),
  MAX_IN_FLIGHT: z.coerce.number().int().positive().default(2_000).describe('Requests that may be under way at once; more are refused.'),
  MAX_EVENT_LOOP_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Requests are refused while the process is further behind than this; 0 never refuses.'),
  STOP_NOTICE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Time between saying that the gateway stops and closing the door, for balancers to notice.'),
  BODY_LIMIT_BYTES: z.coerce.number().int().positive().default(524_288).describe('Largest request body that is read.'),
  INVOICES_HTTP_URL: list().describe('Internal addresses of the invoices replicas, comma-separated; documents are streamed from them.'),
  AUTH_HTTP_URL: list().describe('Internal addresses of the auth replicas, comma-separated; they serve OAuth and the sign-in pages.'),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().positive().default(10_000).describe('Longest wait for a service to answer.'),
})

export const config = () => readConfig(GatewayConfig)
