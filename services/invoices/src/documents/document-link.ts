import { createHmac, timingSafeEqual } from 'node:crypto'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'
import { config } from '../config.ts'

const lifetimeSeconds = 600
/** Links in mails last longer than those of the API: a mail is often opened days later. */
const mailedLifetimeSeconds = 30 * 86_400

interface LinkSettings {
  now: Date
  baseUrl: string
  secret: string
  /** Default: ten minutes. */
  lifetime?: number
}

/** Returns a link that grants its holder access to one document, for ten minutes by default. */
export function documentUrl(invoiceId: string, { now, baseUrl, secret, lifetime = lifetimeSeconds }: LinkSettings): string {
  const expires = String(Math.floor(now.getTime() / 1000) + lifetime)
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

/** Returns a link for a mail, and when it expires. */
export function createMailedLink(documentId: string, now: Date): { url: string; expiresAt: Date } {
  const { BASE_URL: baseUrl, LINK_SECRET: secret } = config()
  const url = documentUrl(documentId, { now, baseUrl, secret, lifetime: mailedLifetimeSeconds })
  return { url, expiresAt: new Date(now.getTime() + mailedLifetimeSeconds * 1000) }
}
