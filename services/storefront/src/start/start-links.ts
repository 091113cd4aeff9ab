import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** Links of a local installation that the start page shows; null where there is none. */
const StartLinks = z.object({
  /** Page that sells a product of the demo organization. */
  buy: z.url({ protocol: /^https?$/ }).nullable(),
  /** Customer portal of the demo organization. */
  portal: z.url({ protocol: /^https?$/ }).nullable(),
  /** Mailbox of an installation without an SMTP server. */
  mailbox: z.url({ protocol: /^https?$/ }).nullable(),
})
export type StartLinks = z.infer<typeof StartLinks>

const none: StartLinks = { buy: null, portal: null, mailbox: null }

/** Reads the file at each visit, because the demo data are created after the pages have started. Without a readable file there are no links. */
export async function readStartLinks(file: string | undefined): Promise<StartLinks> {
  if (!file) return none
  try {
    return StartLinks.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return none
  }
}
