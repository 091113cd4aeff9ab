import { config } from '../config.ts'
import { documentUrl } from './document-link.ts'

/** A link that opens one document to whoever holds it, signed with this installation's key. */
export function documentLinkTo(documentId: string, now: Date): string {
  const { BASE_URL: baseUrl, LINK_SECRET: secret } = config()
  return documentUrl(documentId, { now, baseUrl, secret })
}
