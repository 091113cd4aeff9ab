import { countList, listCountsTable } from '@quittance/runtime/list-counts'
import { migration } from '@quittance/runtime/migration'

export const countLists = migration('20261121060000-count-lists', [
  ...listCountsTable,
  ...countList({ list: 'orders', time: 'created_at', products: true }),
  ...countList({ list: 'customers', time: 'created_at', shown: 'deleted_at is null' }),
  ...countList({ list: 'products', time: 'created_at' }),
  ...countList({ list: 'discounts', time: 'created_at', shown: 'deleted_at is null' }),
  ...countList({ list: 'benefits', time: 'created_at', shown: 'deleted_at is null' }),
  ...countList({ list: 'checkouts', time: 'created_at' }),
  ...countList({ list: 'refunds', time: 'created_at' }),
  ...countList({ list: 'subscriptions', time: 'started_at', shown: 'started_at is not null' }),
])
