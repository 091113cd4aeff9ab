import { migration } from '@quittance/runtime/schema'

/**
 * Compares what is permanent only if a statement sets one of its columns. Leases and results change rows whose source and content may have
 * megabytes, and each change read and compared both. No trigger of the table changes these columns.
 */
export const guardIdentityByColumn = migration('20261127023000-guard-identity-by-column', [
  `drop trigger invoices_identity_permanent on invoices`,
  `create trigger invoices_identity_permanent
    before update of id, organization_id, order_id, number, source, requested_at, kind, series, position, printed, corrects_id, replaces_id,
      refund_id on invoices
    for each row when (
      (old.id, old.organization_id, old.order_id, old.number, old.source, old.requested_at, old.kind, old.series, old.position, old.printed,
        old.corrects_id, old.replaces_id, old.refund_id)
      is distinct from
      (new.id, new.organization_id, new.order_id, new.number, new.source, new.requested_at, new.kind, new.series, new.position, new.printed,
        new.corrects_id, new.replaces_id, new.refund_id))
    execute function refuse_change()`,
])
