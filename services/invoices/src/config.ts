import { randomBytes } from 'node:crypto'
import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

export const InvoicesConfig = z.object({
  BASE_URL: z.url().default('http://127.0.0.1:8080').describe('Public address of the API; document links begin with it.'),
  LINK_SECRET: z
    .string()
    .min(32)
    .default(() => randomBytes(32).toString('base64'))
    .describe(
      'Key of signed document links, the same for all replicas. Unset: random, so links work at this replica alone and until it stops.',
    ),
  PUPPETEER_EXECUTABLE_PATH: z
    .string()
    .optional()
    .describe('Chromium or its headless shell. Unset: puppeteer’s own download, then the system’s.'),
  CHROMIUM_SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Chromium’s own sandbox. Off where it cannot be had: as root, and in a container without user namespaces.'),
  RENDER_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('Longest time one document may hold its page; then the page is killed. The longest, of 5,000 lines, takes about 10 s.'),
})

export const config = () => readConfig(InvoicesConfig)
