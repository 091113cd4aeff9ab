import { createHash } from 'node:crypto'

/**
 * `issued`: a number and the content of its document, in the order of numbers. `stored`: the bytes of a document, in the order of storage.
 */
export type Chain = 'issued' | 'stored'

/** Content of a link in a chain of one series. Digests are SHA-256 in lower-case hexadecimal. */
export interface LinkContent {
  chain: Chain
  organization_id: string
  series: string
  /** For an issued document the position of its number, for a stored one its position in the order of storage. */
  position: string
  number: string
  invoice_id: string
  /** Digest of the document content or of its bytes. */
  content: string
  /** Digest of the previous link; 64 zeros in the first. */
  previous: string
}

export const genesisDigest = '0'.repeat(64)

/** Computes the digest of a link independently of the database: SHA-256 of these lines, joined by line feeds, in UTF-8. */
export function linkDigest(link: LinkContent): string {
  const lines = [
    'quittance document link 1',
    link.chain,
    link.organization_id,
    link.series,
    link.position,
    link.number,
    link.invoice_id,
    link.content,
    link.previous,
  ]
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
