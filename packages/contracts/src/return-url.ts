/**
 * Returns whether a portal may lead to the address: http or https, no user or password, and an origin that the seller lists in
 * `page_settings.return_origins`.
 */
export function isAllowedReturnUrl(address: string, origins: readonly string[]): boolean {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return false
  return origins.includes(url.origin)
}

/** Whether the host name of a URL is this machine. In an `http` URL the parser has normalized every form of an IPv4 address to four decimal numbers. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname)
}
