import { LockMode } from '@mikro-orm/core'
import { settleDuePaymentsJobName } from '../job-names.ts'
import type { Order } from '../orders/order.ts'
import { driveRow, type DriveOptions, type DrivenId } from './drive-row.ts'
import { Payment } from './payment.ts'
import { takePaymentLease } from './payment-lease.ts'
import { watchPayment } from './publish-payment.ts'
import type { RowKind } from './row-kind.ts'
import { lockForSettlement, settlePayment } from './settle-payment.ts'

/** How payments are locked and settled. */
export const payments: RowKind<Payment, Order> = {
  kind: 'charge',
  name: 'payment',
  job: settleDuePaymentsJobName,
  idField: 'payment_id',
  takeLease: takePaymentLease,
  lockRow: (em, id) => em.findOneOrFail(Payment, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }),
  lockForSettlement,
  watch: watchPayment,
  settle: (transaction, { locked: order, row: payment, ...settled }) => settlePayment(transaction, { order, payment, ...settled }),
}

/** Makes the calls that a payment needs until it waits for something. See `driveRow`. */
export function drivePayment(driven: DrivenId, options: DriveOptions): Promise<void> {
  return driveRow(payments, driven, options)
}
