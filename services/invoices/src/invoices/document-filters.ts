import { asList, orderBy, type Condition } from '@quittance/runtime/list'

/** Filters that invoices and credit notes share. */
interface Filters {
  organization_id?: string | readonly string[] | undefined
  order_id?: string | readonly string[] | undefined
  customer_id?: string | readonly string[] | undefined
}

export function filtersOf({ organization_id, order_id, customer_id }: Filters): Record<string, Condition> {
  return {
    organization_id: { sql: 'i.organization_id = any(:organization_id)', value: asList(organization_id) },
    order_id: { sql: 'i.order_id = any(:order_id)', value: asList(order_id) },
    customer_id: { sql: 'i.customer_id = any(:customer_id)', value: asList(customer_id) },
  }
}

const columns = { issued_at: 'i.requested_at', invoice_number: 'i.number' }

export function orderOf(sorting: readonly string[]) {
  return orderBy(columns, { sorting, ties: ['i.requested_at', 'i.id'] })
}
