import { eventually } from '@quittance/testing/eventually'

/** Returns the sign-in codes that were mailed to an address, the latest first, from the mailbox of a local system. */
export async function readMailedCodes(baseUrl: string, email: string): Promise<string[]> {
  const list = await (await fetch(`${baseUrl}/mailbox`)).text()
  const paths = [...list.matchAll(new RegExp(`href="(/mailbox/[^"]+)"(?:(?!href).)*${email}`, 'gs'))].map(([, path]) => path)
  const sources = await Promise.all(paths.map(async (path) => (await fetch(`${baseUrl}${path}`)).text()))
  return sources.flatMap((source) => /\b[2-9A-Z]{3}-[2-9A-Z]{3}\b/.exec(source)?.[0] ?? [])
}

/** Waits until the given number of codes was mailed to an address, and returns the latest. */
export function waitForMailedCode(baseUrl: string, email: string, { count = 1 }: { count?: number } = {}): Promise<string> {
  return eventually(async () => {
    const codes = await readMailedCodes(baseUrl, email)
    if (codes.length < count) throw new Error(`${codes.length} codes have arrived`)
    return codes[0] as string
  })
}
