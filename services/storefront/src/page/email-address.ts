import { domainToASCII } from 'node:url'

/**
 * Returns an e-mail address with an internationalized domain in ASCII (RFC 5890), as Chromium submits it; Firefox and Safari submit what was
 * typed. Other addresses are unchanged.
 */
export function toAsciiAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (at === 0 || !/[^\p{ASCII}]/u.test(domain)) return address
  return address.slice(0, at) + (domainToASCII(domain) || domain)
}

/** Whether text has the form of an e-mail address; the API decides about details. */
export function isEmailAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
}
