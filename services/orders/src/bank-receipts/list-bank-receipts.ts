import { listBankReceipts as contract } from '@quittance/contracts/bank-receipts'
import { query } from '@quittance/runtime/handler'
import { buildSortOrder, buildWhere, toArray } from '@quittance/sql/list-query'
import { bankReceiptView } from './bank-receipt.ts'

const columns = { created_at: 'b.created_at', booked_on: 'b.booked_on', amount: 'b.amount' }

/** Reads the few refunds that are not returned yet once, not those of each receipt. */
const isSurplus = `b.payment_id in (select r.payment_id from refunds r where r.purpose = 'surplus' and r.status = 'pending')`

export const listBankReceipts = query(contract, ({ page, limit, sorting, ...filters }, { read }) =>
  read.page(bankReceiptView, {
    ...buildWhere({
      organization_ids: { sql: 'b.organization_id = any(:organization_ids)', value: toArray(filters.organization_id) },
      accounts: { sql: 'b.payment_account_id = any(:accounts)', value: toArray(filters.payment_account_id) },
      payments: { sql: 'b.payment_id = any(:payments)', value: toArray(filters.payment_id) },
      is_matched: { sql: '(b.payment_id is not null) = :is_matched', value: filters.is_matched },
      // The predicate of the index `bank_receipts_unapplied`.
      is_unapplied: { sql: filters.is_unapplied ? 'b.unapplied_amount > 0' : 'b.unapplied_amount = 0', value: filters.is_unapplied },
      is_surplus: { sql: filters.is_surplus ? isSurplus : `(${isSurplus}) is not true`, value: filters.is_surplus },
    }),
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['b.created_at', 'b.id'] }),
    page,
    limit,
  }),
)
