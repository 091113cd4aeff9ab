import { eventually } from '@quittance/testing/eventually'

/** Returns the pages of the mails to an address, the latest first, from the mailbox of a local system. */
async function readMails(baseUrl: string, email: string): Promise<string[]> {
  const list = await (await fetch(`${baseUrl}/mailbox`)).text()
  const paths = [...list.matchAll(new RegExp(`href="(/mailbox/[^"]+)"(?:(?!href).)*${email}`, 'gs'))].map(([, path]) => path)
  return Promise.all(paths.map(async (path) => (await fetch(`${baseUrl}${path}`)).text()))
}

/** Returns the sign-in codes that were mailed to an address, the latest first. */
export async function readMailedCodes(baseUrl: string, email: string): Promise<string[]> {
  const mails = await readMails(baseUrl, email)
  return mails.flatMap((mail) => /\b[2-9A-Z]{3}-[2-9A-Z]{3}\b/.exec(mail)?.[0] ?? [])
}

/** Waits for a mail to an address with a link to this path, and returns the link. */
export function waitForMailedLink(baseUrl: string, email: string, path: RegExp): Promise<string> {
  return eventually(async () => {
    const links = (await readMails(baseUrl, email)).flatMap((mail) => mail.match(/https?:\/\/[^\s"<>]+/g) ?? [])
    const found = links.find((link) => path.test(link))
    if (!found) throw new Error(`No link to ${path} has arrived`)
    return found
  })
}

/** Waits until the given number of codes was mailed to an address, and returns the latest. */
export function waitForMailedCode(baseUrl: string, email: string, { count = 1 }: { count?: number } = {}): Promise<string> {
  return eventually(async () => {
    const codes = await readMailedCodes(baseUrl, email)
    if (codes.length < count) throw new Error(`${codes.length} codes have arrived`)
    return codes[0] as string
  })
}
