import type { Rows } from '@quittance/runtime/handler'

/** Beside a hyphen and four digits this keeps within the sixteen characters that India's Rule 46(b) allows. */
const maxPrefixLength = 11

/** The slug as the series bears it. Empty slugs do not exist, but a number without a prefix must not either. */
export function seriesPrefix(slug: string): string {
  const letters = slug
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxPrefixLength)
  return letters.replace(/-$/, '') || 'INV'
}

export function formatInvoiceNumber(prefix: string, position: bigint): string {
  return `${prefix}-${position.toString().padStart(4, '0')}`
}

/** The prefix is that of the first invoice: a later slug does not rename the series. */
const take = `
  insert into invoice_series as s (organization_id, prefix, last_number) values (:organization, :prefix, 1)
  on conflict (organization_id) do update set last_number = s.last_number + 1
  returning prefix, last_number::text as last_number`

/** The next number, without a gap: the series stays locked until the transaction ends, and a rollback gives the number back. */
export async function takeInvoiceNumber(rows: Rows, organization: { id: string; slug: string }): Promise<string> {
  const values = { organization: organization.id, prefix: seriesPrefix(organization.slug) }
  const [series] = await rows<{ prefix: string; last_number: string }>('invoice-number.take', take, values)
  if (!series) throw new Error('The series gave no number')
  return formatInvoiceNumber(series.prefix, BigInt(series.last_number))
}
