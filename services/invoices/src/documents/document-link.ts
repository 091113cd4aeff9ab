import { createHmac, timingSafeEqual } from 'node:crypto'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'
import { config } from '../config.ts'

const lifetimeSeconds = 600

interface LinkSettings {
  now: Date
  baseUrl: string
  secret: string
}

/** Returns a link that grants its holder access to one document for ten minutes. */
export function documentUrl(invoiceId: string, { now, baseUrl, secret }: LinkSettings): string {
  const expires = String(Math.floor(now.getTime() / 1000) + lifetimeSeconds)
  const query = new URLSearchParams({ expires, signature: signature({ invoiceId, expires }, secret) })
  return `${baseUrl.replace(/\/+$/, '')}${invoiceDocumentPath}/${invoiceId}?${query}`
}

export interface PresentedLink {
  invoiceId: string
  expires: string
  signature: string
}

/** Checks the signature and the expiry. `forged` covers every change of the link, including its expiry. */
export function verifyDocumentLink(
  link: PresentedLink,
  { now, secret }: Pick<LinkSettings, 'now' | 'secret'>,
): 'valid' | 'forged' | 'expired' {
  const expected = Buffer.from(signature(link, secret))
  const presented = Buffer.from(link.signature)
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return 'forged'
  return Number(link.expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

function signature({ invoiceId, expires }: Pick<PresentedLink, 'invoiceId' | 'expires'>, secret: string): string {
  return createHmac('sha256', secret).update(`${invoiceId}.${expires}`).digest('base64url')
}

/** Returns a link signed with the key of this installation. The link grants its holder access to one document. */
export function createDocumentLink(documentId: string, now: Date): string {
  const { BASE_URL: baseUrl, LINK_SECRET: secret } = config()
  return documentUrl(documentId, { now, baseUrl, secret })
}
