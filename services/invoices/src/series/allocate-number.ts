import type { SqlRunner } from '@quittance/runtime/handler'
import type { DocumentKind } from './number-format.ts'
import { fallbackSeriesName, formatNumber, seriesName, type Numbering } from './number-format.ts'

/** The padding is that of the first number of the series. */
const allocate = `
  insert into document_series as s (organization_id, kind, prefix, padding, last_number) values (:organization, :kind, :prefix, :padding, 1)
  on conflict (organization_id, prefix) do update set last_number = s.last_number + 1 where s.kind = excluded.kind
  returning padding, last_number::text as last_number`

export interface AllocatedNumber {
  number: string
  series: string
  position: bigint
}

interface NumberRequest {
  organizationId: string
  kind: DocumentKind
  numbering: Numbering
  now: Date
}

/**
 * Allocates the next number without a gap: the series stays locked until the transaction ends, and a rollback releases the number. If
 * documents of the other kind have taken the series, which settings of earlier releases permitted, another series begins, so that every
 * document can be issued.
 */
export async function allocateNumber(rows: SqlRunner, { organizationId, kind, numbering, now }: NumberRequest): Promise<AllocatedNumber> {
  const year = now.getUTCFullYear()
  // Ends because an organization has finitely many series.
  for (let n = 1; ; n += 1) {
    const prefix = n === 1 ? seriesName(kind, numbering, year) : fallbackSeriesName(kind, numbering, { year, n })
    const values = { organization: organizationId, kind, prefix, padding: numbering.padding }
    const [allocated] = await rows<{ padding: number; last_number: string }>('series.take', allocate, values)
    if (!allocated) continue
    const position = BigInt(allocated.last_number)
    return { number: formatNumber(prefix, { position, padding: allocated.padding }), series: prefix, position }
  }
}
