import { createHmac, timingSafeEqual } from 'node:crypto'
import { invoiceDocumentPath } from '@quittance/contracts/invoices'

const lifetimeSeconds = 600

interface LinkSettings {
  now: Date
  baseUrl: string
  secret: string
}

/** A link that opens one document to whoever holds it, for ten minutes. */
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

/** `forged` covers every change of the link, its expiry included. */
export function checkLink(link: PresentedLink, { now, secret }: Pick<LinkSettings, 'now' | 'secret'>): 'valid' | 'forged' | 'expired' {
  const expected = Buffer.from(signature(link, secret))
  const presented = Buffer.from(link.signature)
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return 'forged'
  return Number(link.expires) * 1000 > now.getTime() ? 'valid' : 'expired'
}

function signature({ invoiceId, expires }: Pick<PresentedLink, 'invoiceId' | 'expires'>, secret: string): string {
  return createHmac('sha256', secret).update(`${invoiceId}.${expires}`).digest('base64url')
}
