import { randomBytes } from 'node:crypto'

/** A new key: 128 random bits in groups that can be read aloud, after the prefix of the seller. Capitals throughout. */
export function newLicenseKeyText(prefix: string | null): string {
  const groups = randomBytes(16)
    .toString('hex')
    .toUpperCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return prefix ? `${prefix.toUpperCase()}-${groups}` : groups
}

/** What is shown of a key where it is not to be used: enough to tell it from others, of no help in guessing it. */
export function displayKeyOf(key: string): string {
  return `****-${key.slice(-6)}`
}
