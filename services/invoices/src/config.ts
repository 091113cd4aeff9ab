import { randomBytes } from 'node:crypto'
import { readConfig } from '@quittance/runtime/config'
import { z } from 'zod'

export const InvoicesConfig = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .describe('Public address of the API. Document links start with it.'),
  PAGES_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Public address of the pages for buyers, with which the printed address of a document begins; BASE_URL if unset.'),
  LINK_SECRET: z
    .string()
    .min(32)
    .default(() => randomBytes(32).toString('base64'))
    .describe(
      'Key of signed document links, the same for all replicas. Unset: random, so links are valid only at this replica and until it stops.',
    ),
  PUPPETEER_EXECUTABLE_PATH: z
    .string()
    .optional()
    .describe('Chromium or its headless shell. Unset: the one puppeteer downloaded, then the one of the system.'),
  CHROMIUM_SANDBOX: z
    .enum(['on', 'off', 'required'])
    .default('on')
    .describe(
      'Sandbox of Chromium. `on` prints without it and logs that if the kernel does not support it, as in a container without user namespaces; ' +
        '`required` fails the start in that case.',
    ),
  RENDER_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .positive()
    .default(30_000)
    .describe('Maximum time to render one document; then its page is killed. The longest document (5,000 lines) takes about 10 s.'),
})

export const config = () => readConfig(InvoicesConfig)

/** Public address of the pages, without a slash at its end. */
export const pagesUrl = () => (config().PAGES_URL ?? config().BASE_URL).replace(/\/+$/, '')
