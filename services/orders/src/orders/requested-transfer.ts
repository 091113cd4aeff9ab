import { nested } from '@quittance/sql/view'

/** Condition of a payment `p` whose buyer is asked for a bank transfer. */
export const requestedTransfer = `p.is_open and p.quarantined_at is null and p.state = 'requires_action' and p.action->>'by' = 'transfer'`

const accountColumns = `t.beneficiary, t.iban, t.bic, t.reference, t."dueDate" as due_date, t.epc`

const selectTransfer = (columns: string) =>
  nested(
    columns,
    `payments p, jsonb_to_record(p.action->'instructions') as t (beneficiary text, iban text, bic text, reference text, "dueDate" text, epc text)
  where p.order_id = o.id and ${requestedTransfer} limit 1`,
  )

/** How the buyer sends the money of an order `o`, as its invoice states it. The amount is that of the invoice. */
export const invoiceTransfer = selectTransfer(accountColumns)

/** The same with the amount. Null unless the order waits for a transfer. */
export const transferInstructions = selectTransfer(`${accountColumns}, p.amount, p.currency`)
