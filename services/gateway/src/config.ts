import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url().transform((url) => url.replace(/\/+$/, ''))
const origins = z
  .string()
  .default('')
  .transform((list) => list.split(',').filter(Boolean))

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
  BODY_LIMIT_BYTES: z.coerce.number().int().positive().default(524_288).describe('Largest request body that is read.'),
  INVOICES_HTTP_URL: origins.describe('Internal addresses of the invoices replicas, comma-separated; documents are streamed from them.'),
  AUTH_HTTP_URL: origins.describe('Internal addresses of the auth replicas, comma-separated; they serve OAuth and the sign-in pages.'),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().positive().default(10_000).describe('Longest wait for a service to answer.'),
})

export const config = () => readConfig(GatewayConfig)
