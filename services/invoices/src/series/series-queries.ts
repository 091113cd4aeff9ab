import { listInvoiceSeries as listInvoiceSeriesContract, type InvoiceSeries } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { toArray, buildWhere } from '@quittance/sql/list-query'
import type { View } from '@quittance/sql/view'
import { auditInvoiceSeries as auditInvoiceSeriesContract } from '@quittance/contracts/invoice-audit'
import type { Chain } from '../permanence/link-text.ts'
import { chainStart, verifySegment, type ChainPosition, type Series } from '../permanence/verify-chains.ts'

const issued = 'from invoices i where i.organization_id = s.organization_id and i.series = s.prefix'

const figures = (position: string) => `s.prefix || lpad(${position}::text, greatest(s.padding, length(${position}::text)), '0')`

const numbered = `${issued} and i.position <= s.last_number`

/** Positions that no document has: those between a document and the one before it, and after the last one; of each gap, as many as are shown. */
const missing = `select ${figures('n')} as number from (
    select coalesce(lag(i.position) over (order by i.position), 0) as before, i.position as after ${numbered}
    union all select coalesce(max(i.position), 0), s.last_number + 1 ${numbered}) gap, generate_series(before + 1, least(after - 1, before + 100)) n
  order by n limit 100`

/**
 * Counts the documents at every request: an audit that trusted a counter would prove nothing. As no position occurs twice, one with as many documents as
 * numbers has no gap.
 */
const seriesView: View<InvoiceSeries> = {
  name: 'invoice-series',
  organization: 's.organization_id',
  from: 'document_series s',
  columns: `s.organization_id, s.kind, s.prefix,
    (select i.number ${issued} order by i.position limit 1) as first, (select i.number ${issued} order by i.position desc limit 1) as last,
    (select count(*) ${issued}) as count,
    case when (select count(*) ${numbered}) = s.last_number then '[]' else coalesce((select json_agg(m.number) from (${missing}) m), '[]') end as missing`,
}

export const listInvoiceSeries = query(listInvoiceSeriesContract, ({ organization_id, page, limit }, { read }) =>
  read.page(seriesView, {
    ...buildWhere({ organization_id: { sql: 's.organization_id = any(:organization_id)', value: toArray(organization_id) } }),
    orderBy: [{ by: 's.kind', descending: true }, ...['s.organization_id', 's.prefix'].map((by) => ({ by, descending: false }))],
    page,
    limit,
  }),
)

const seriesCounterView: View<Series> = {
  name: 'counted-series',
  organization: 's.organization_id',
  from: 'document_series s',
  columns: 's.organization_id, s.prefix as series, s.last_number::text as last_number',
}

const isRequestedSeries = 's.prefix = :prefix and s.organization_id = coalesce(:organization_id::uuid, s.organization_id)'

const selectPosition = `
  select position::text, digest, number from document_links
  where organization_id = :organization and organization_id = any (:scope_organizations) and series = :series and chain = :chain and position <= :after::bigint order by position desc limit 1`

/** Verifies one segment of one chain per request, so a request covers at most 200 documents however long the series is. */
export const auditInvoiceSeries = query(auditInvoiceSeriesContract, async ({ prefix, organization_id, chain, after }, { read, sql }) => {
  const values = { prefix, organization_id: organization_id ?? null }
  const series = JSON.parse(await read.one(seriesCounterView, { where: isRequestedSeries, values })) as Series
  const from = after ? await findPosition(sql, { ...series, chain, after }) : chainStart
  const { faults, links, place, isEnd } = await verifySegment(sql, { ...series, chain, from })
  return {
    organization_id: series.organization_id,
    prefix,
    chain,
    links,
    faults: faults.map(({ number, fault, detail }) => ({ invoice_number: number, fault, detail })),
    head: place.digest,
    next: isEnd ? null : place.position,
  }
})

async function findPosition(
  sql: ScopedSql,
  { organization_id, series, chain, after }: Series & { chain: Chain; after: string },
): Promise<ChainPosition> {
  const values = { organization: organization_id, series, chain, after }
  const [place] = await sql<ChainPosition & Record<string, unknown>>('chain.find-position', selectPosition, values)
  return place ?? chainStart
}
