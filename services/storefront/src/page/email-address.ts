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

/** Shows enough of an e-mail address to recognize it, and not enough to learn it: by default the first character and the domain. */
export function maskEmail(email: string, { shown = 1 } = {}): string {
  const local = Array.from(email.slice(0, email.lastIndexOf('@')))
  return `${local.slice(0, shown).join('')}***${email.slice(email.lastIndexOf('@'))}`
}

/** Masks two e-mail addresses up to the first character in which they differ: a reader can distinguish them. */
export function maskDifferently(first: string, second: string): [string, string] {
  if (maskEmail(first) !== maskEmail(second)) return [maskEmail(first), maskEmail(second)]
  const other = Array.from(second)
  const shown = Array.from(first).findIndex((character, index) => character !== other[index]) + 1
  return [maskEmail(first, { shown }), maskEmail(second, { shown })]
}
