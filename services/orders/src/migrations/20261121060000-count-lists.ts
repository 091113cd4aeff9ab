import { countListRows, listCountsTable, type CountedTable } from '@quittance/runtime/list-counters'
import { migration } from '@quittance/runtime/schema'

export const countedTables: readonly CountedTable[] = [
  { list: 'orders', time: 'created_at', products: true },
  { list: 'customers', time: 'created_at', visibleWhen: 'deleted_at is null' },
  { list: 'products', time: 'created_at' },
  { list: 'discounts', time: 'created_at', visibleWhen: 'deleted_at is null' },
  { list: 'benefits', time: 'created_at', visibleWhen: 'deleted_at is null' },
  { list: 'checkouts', time: 'created_at' },
  { list: 'refunds', time: 'created_at' },
  { list: 'subscriptions', time: 'started_at', visibleWhen: 'started_at is not null' },
]

export const countLists = migration('20261121060000-count-lists', [...listCountsTable, ...countedTables.flatMap(countListRows)])
