import type { ScopedSql } from '@quittance/sql/sql-runner'
import { calendarYear } from './calendar-date.ts'
import type { DocumentKind } from './number-format.ts'
import { fallbackSeriesName, formatNumber, maxNumberLength, seriesName, type Numbering } from './number-format.ts'

/** The padding is that of the first number of the series. */
const allocate = `
  insert into document_series as s (organization_id, kind, prefix, padding, last_number)
  select :organization::uuid, :kind::text, :prefix::text, :padding::int, 1 where :organization::uuid = any (:scope_organizations)
  on conflict (organization_id, prefix) do update set last_number = s.last_number + 1
    where s.kind = excluded.kind and length(s.prefix) + greatest(s.padding, length((s.last_number + 1)::text)) <= :max_length
  returning padding, last_number::text as last_number`

/** More than an organization can have by changing its settings. */
const maxFallbacks = 1_000

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
 * documents of the other kind have taken the series, which settings of earlier releases permitted, or if its next number would be longer
 * than sixteen characters, another series begins, so that every document can be issued.
 */
export async function allocateNumber(sql: ScopedSql, { organizationId, kind, numbering, now }: NumberRequest): Promise<AllocatedNumber> {
  const year = calendarYear(now, numbering.timeZone)
  for (let n = 1; n <= maxFallbacks; n += 1) {
    const prefix = n === 1 ? seriesName(kind, numbering, year) : fallbackSeriesName(kind, numbering, { year, n })
    // A derived prefix with the year leaves fewer digits than a seller may choose; the first number would otherwise be the only one of its series.
    const padding = Math.max(1, Math.min(numbering.padding, maxNumberLength - prefix.length))
    const values = { organization: organizationId, kind, prefix, padding, max_length: maxNumberLength }
    const [allocated] = await sql<{ padding: number; last_number: string }>('series.allocate', allocate, values)
    if (!allocated) continue
    const position = BigInt(allocated.last_number)
    return { number: formatNumber(prefix, { position, padding: allocated.padding }), series: prefix, position }
  }
  throw new Error(`Organization ${organizationId} is outside of the scope, or has no free series`)
}
