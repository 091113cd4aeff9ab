import { randomBytes } from 'node:crypto'

/** A new signing secret in the form of Standard Webhooks. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
