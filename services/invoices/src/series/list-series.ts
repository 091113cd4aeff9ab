import { listInvoiceSeries as contract, type InvoiceSeries } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { asList, whereGiven } from '@quittance/runtime/list'
import type { View } from '@quittance/runtime/view'

const issued = 'from invoices i where i.organization_id = s.organization_id and i.series = s.prefix'

const figures = (position: string) => `s.prefix || lpad(${position}::text, greatest(s.padding, length(${position}::text)), '0')`

/** Counted anew at every reading: an audit that trusted a counter would prove nothing. */
const seriesView: View<InvoiceSeries> = {
  name: 'invoice-series',
  organization: 's.organization_id',
  from: 'document_series s',
  columns: `s.organization_id, s.kind, s.prefix,
    (select i.number ${issued} order by i.position limit 1) as first, (select i.number ${issued} order by i.position desc limit 1) as last,
    (select count(*) ${issued}) as count,
    coalesce((select json_agg(m.number) from (
      select ${figures('n')} as number from generate_series(1, s.last_number) n
      where not exists (select ${issued} and i.position = n) order by n limit 100) m), '[]') as missing`,
}

export const listInvoiceSeries = query(contract, ({ organization_id, page, limit }, { read }) =>
  read.page(seriesView, {
    ...whereGiven({ organization_id: { sql: 's.organization_id = any(:organization_id)', value: asList(organization_id) } }),
    orderBy: [{ by: 's.kind', descending: true }, ...['s.organization_id', 's.prefix'].map((by) => ({ by, descending: false }))],
    page,
    limit,
  }),
)
