/** Returns the domain of an address. */
export function findDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** Records of one name: each has one or more texts, which belong together. */
export type TxtRecords = readonly (readonly string[])[]

/**
 * Whether the records at the name of a key are exactly this key (RFC 6376, 3.6.1). Several records are none: a verifier may take either. A key
 * that is tested (`t=y`) or for another service proves nothing.
 */
export function hasSigningKey(records: TxtRecords, publicKey: string): boolean {
  const [only, ...others] = records
  if (!only || others.length > 0) return false
  const tags = new Map(
    only
      .join('')
      .split(';')
      .map((tag): [string, string] => {
        const [name = '', ...value] = tag.split('=')
        return [name.trim(), value.join('=').replaceAll(/\s/g, '')]
      }),
  )
  const flags = (tags.get('t') ?? '').split(':')
  const services = (tags.get('s') ?? '*').split(':')
  return (
    tags.get('p') === publicKey &&
    (tags.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (tags.get('k') ?? 'rsa') === 'rsa' &&
    !flags.includes('y') &&
    (services.includes('*') || services.includes('email'))
  )
}

/** Whether the domain lets the servers of the operator send (RFC 7208): its one record includes the domain of the operator. */
export function allowsSending(records: TxtRecords, operatorDomain: string): boolean {
  const policies = records.map((texts) => texts.join('')).filter((text) => /^v=spf1(?: |$)/i.test(text))
  const [only, ...others] = policies
  if (only === undefined || others.length > 0) return false
  const wanted = `include:${operatorDomain.toLowerCase()}`
  for (const term of only.toLowerCase().split(/\s+/).slice(1)) {
    if (term === wanted || term === `+${wanted}`) return true
    // Terms after this one are never read.
    if (/^[+?~-]?all$/.test(term)) return false
  }
  return false
}
