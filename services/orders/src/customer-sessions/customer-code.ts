import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import type { CodePurpose } from '@quittance/contracts/customer-codes'

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
function normalizeCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^0-9A-Z]/g, '')
}

/** What a code is for, and where it is valid. */
export interface CodeScope {
  purpose: CodePurpose
  organizationId: string
  email: string
}

/** A code of one purpose has another hash than the same characters of the other, and so has its address. */
const contexts: Record<CodePurpose, string> = { sign_in: 'quittance customer code', email_update: 'quittance email update' }

/** Returns the form in which an address is stored with its codes, also for addresses of no customer: a keyed hash. */
export function hashAddress({ purpose, organizationId, email }: CodeScope, key: Uint8Array): string {
  return hash(`${contexts[purpose]} address\n${organizationId}\n${email.toLowerCase()}`, key)
}

interface CodeContext {
  purpose: CodePurpose
  codeId: string
  key: Uint8Array
}

/** Returns the form in which a code is stored: a keyed hash, because so few codes could be tried one by one. */
export function hashCode(code: string, { purpose, codeId, key }: CodeContext): string {
  return hash(`${contexts[purpose]}\n${codeId}\n${code}`, key)
}

/** A code that can still be used. */
export interface OpenCode {
  id: string
  code_hash: string
}

/** Compares in constant time, also if no code is open; a code that was hashed with an earlier key stays valid. */
export function matchesCode(
  open: OpenCode | undefined,
  typed: string,
  { purpose, keys }: { purpose: CodePurpose; keys: readonly [Uint8Array, ...Uint8Array[]] },
): boolean {
  const { id: codeId, code_hash: stored } = open ?? { id: 'none', code_hash: hashCode('', { purpose, codeId: '', key: keys[0] }) }
  const code = normalizeCode(typed)
  const isRight = keys
    .map((key) => timingSafeEqual(Buffer.from(hashCode(code, { purpose, codeId, key })), Buffer.from(stored)))
    .includes(true)
  return open !== undefined && isRight
}

function hash(text: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
