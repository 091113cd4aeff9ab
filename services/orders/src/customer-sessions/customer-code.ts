import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'

/** Digits and A to Z without those that look alike: 0 and O, 1, I and L, U and V. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 6

/** Creates a code: one of 729 million. */
export function createCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** Returns a code as it is mailed: `4F7-K2M`. */
export function formatCode(code: string): string {
  return `${code.slice(0, 3)}-${code.slice(3)}`
}

/** Returns what was typed or pasted without case, spaces and dashes. */
export function normalizeCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
}

/** Where a code is valid. */
export interface CodeScope {
  organizationId: string
  email: string
}

/** Returns the form in which an address is stored with its codes, also for addresses of no customer: a keyed hash. */
export function hashAddress({ organizationId, email }: CodeScope, key: Uint8Array): string {
  return hash(`quittance customer code address\n${organizationId}\n${email.toLowerCase()}`, key)
}

/** Returns the form in which a code is stored: a keyed hash, because so few codes could be tried one by one. */
export function hashCode(code: string, { codeId, key }: { codeId: string; key: Uint8Array }): string {
  return hash(`quittance customer code\n${codeId}\n${code}`, key)
}

/** Compares in constant time; a code that was hashed with an earlier key stays valid. */
export function matchesCode(stored: string, typed: string, { codeId, keys }: { codeId: string; keys: readonly Uint8Array[] }): boolean {
  return keys.map((key) => timingSafeEqual(Buffer.from(hashCode(typed, { codeId, key })), Buffer.from(stored))).includes(true)
}

function hash(text: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
