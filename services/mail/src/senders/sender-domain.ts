import { parseTerm } from './spf-terms.ts'

/** Returns the domain of an address. */
export function findDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** Records of one name: each has one or more texts, which belong together. */
export type TxtRecords = readonly (readonly string[])[]

/**
 * Whether the records at the name of a key are exactly this key (RFC 6376, 3.6.1). Several records are none: a verifier may take either. A key
 * that is tested (`t=y`), for another service or not for SHA-256 proves nothing.
 */
export function hasSigningKey(records: TxtRecords, publicKey: string): boolean {
  const [only, ...others] = records
  if (!only || others.length > 0) return false
  const list = only
    .join('')
    .replace(/;\s*$/, '')
    .split(';')
    .map((tag): [string, string] => {
      const [name = '', ...value] = tag.split('=')
      return [name.trim(), value.join('=').replaceAll(/\s/g, '')]
    })
  const tags = new Map(list)
  // A list with a repeated tag, or a version that is not its first tag, is no key.
  if (tags.size < list.length || list.findIndex(([name]) => name === 'v') > 0) return false
  const hashes = (tags.get('h') ?? 'sha256').split(':')
  const flags = (tags.get('t') ?? '').split(':')
  const services = (tags.get('s') ?? '*').split(':')
  return (
    tags.get('p') === publicKey &&
    (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (tags.get('k') ?? 'rsa') === 'rsa' &&
    hashes.includes('sha256') &&
    !flags.includes('y') &&
    (services.includes('*') || services.includes('email'))
  )
}

/** Mechanisms that ask the DNS; a record may have ten of them (RFC 7208, 4.6.4). */
const lookups = new Set(['include', 'a', 'mx', 'ptr', 'exists'])
const maxLookups = 10

/**
 * Whether the domain lets the servers of the operator send (RFC 7208): its one record includes the domain of the operator. A receiver rejects a
 * record with an error in any term, and one that needs too many lookups. Those of records that it includes are not counted.
 */
export function allowsSending(records: TxtRecords, operatorDomain: string): boolean {
  const policies = records.map((texts) => texts.join('')).filter((text) => /^v=spf1(?: |$)/i.test(text))
  const [only, ...others] = policies
  if (only === undefined || others.length > 0) return false
  const terms = only.toLowerCase().split(/ +/).filter(Boolean).slice(1).map(parseTerm)
  const modifiers = terms.flatMap((term) => (term?.kind === 'modifier' && /^(redirect|exp)$/.test(term.name) ? [term.name] : []))
  if (terms.includes(null) || new Set(modifiers).size < modifiers.length) return false
  let count = 0
  for (const term of terms) {
    if (term?.kind !== 'mechanism') continue
    // Terms after this one are never read.
    if (term.name === 'all') return false
    if (lookups.has(term.name)) count += 1
    if (count > maxLookups) return false
    const target = term.argument.slice(1).replace(/\.$/, '')
    if (term.name === 'include' && target === operatorDomain.toLowerCase()) return term.qualifier === '+'
  }
  return false
}
