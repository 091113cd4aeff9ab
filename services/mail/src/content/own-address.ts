/** Public addresses of this installation, without a slash at the end. */
export interface OwnAddresses {
  api: string
  auth: string
  pages: string
}

/** Returns the page that stops optional mails. Mail programs send their one-click request there too (RFC 8058). */
export function optOutAddress({ pages }: Pick<OwnAddresses, 'pages'>, token: string): string {
  return `${pages}/unsubscribe/${token}`
}

/**
 * Throws unless a link leads to one of these addresses: a mail must not lead anywhere else, whatever an event contains. Compares the parsed
 * origin, so that `https://billing.example@elsewhere.example` is rejected.
 */
export function assertOwnAddress(link: string, addresses: readonly string[]): void {
  const url = URL.parse(link)
  const isOwn = url !== null && !url.username && !url.password && addresses.some((address) => new URL(address).origin === url.origin)
  if (!isOwn || /[\s"<>]/.test(link)) throw new Error('The link does not lead to this installation')
}
