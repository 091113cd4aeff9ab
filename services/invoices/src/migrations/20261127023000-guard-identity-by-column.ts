import { migration } from '@quittance/runtime/schema'

const permanent =
  'id organization_id order_id number source requested_at kind series position printed corrects_id replaces_id refund_id'.split(' ')
const toRow = (alias: 'old' | 'new') => `(${permanent.map((column) => `${alias}.${column}`).join(', ')})`

/**
 * Compares what is permanent only if a statement sets one of its columns. Leases and results change rows whose source and content may have
 * megabytes, and each change read and compared both. No trigger of the table changes these columns.
 */
export const guardIdentityByColumn = migration('20261127023000-guard-identity-by-column', [
  `drop trigger invoices_identity_permanent on invoices`,
  `create trigger invoices_identity_permanent before update of ${permanent.join(', ')} on invoices
    for each row when (${toRow('old')} is distinct from ${toRow('new')}) execute function refuse_change()`,
])
