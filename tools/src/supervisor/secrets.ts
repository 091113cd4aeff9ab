import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Drawn once per data folder; whoever loses them loses what they protect. */
export interface Secrets {
  /** Passwords of the services' own database roles. */
  databases: Record<'auth' | 'orders' | 'invoices' | 'webhooks', string>
  /** Signs the links of documents. */
  link: string
  /** Keys for secrets at rest. */
  keys: Record<'auth' | 'webhooks', string>
}

export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(drawSecrets(), null, 2), { mode: 0o600 })
  return JSON.parse(readFileSync(file, 'utf8'))
}

function drawSecrets(): Secrets {
  const password = () => randomBytes(24).toString('hex')
  const key = () => randomBytes(32).toString('base64')
  return {
    databases: { auth: password(), orders: password(), invoices: password(), webhooks: password() },
    link: key(),
    keys: { auth: key(), webhooks: key() },
  }
}
