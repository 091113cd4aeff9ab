import type { Rows } from '@quittance/runtime/handler'
import type { DocumentKind } from '../invoices/invoice.ts'
import { formatNumber, seriesOf, type Numbering } from './number-format.ts'

/** Digits are those the series began with. */
const take = `
  insert into document_series as s (organization_id, kind, prefix, padding, last_number) values (:organization, :kind, :prefix, :padding, 1)
  on conflict (organization_id, prefix) do update set last_number = s.last_number + 1 where s.kind = excluded.kind
  returning padding, last_number::text as last_number`

export interface TakenNumber {
  number: string
  series: string
  position: bigint
}

interface Wanted {
  organizationId: string
  kind: DocumentKind
  numbering: Numbering
  now: Date
}

/** The next number, without a gap: the series stays locked until the transaction ends, and a rollback gives the number back. */
export async function takeNumber(rows: Rows, { organizationId, kind, numbering, now }: Wanted): Promise<TakenNumber> {
  const prefix = seriesOf(kind, numbering, now.getUTCFullYear())
  const values = { organization: organizationId, kind, prefix, padding: numbering.padding }
  const [taken] = await rows<{ padding: number; last_number: string }>('series.take', take, values)
  if (!taken) throw new Error(`The series ${prefix} is of documents of another kind`)
  const position = BigInt(taken.last_number)
  return { number: formatNumber(prefix, { position, padding: taken.padding }), series: prefix, position }
}
