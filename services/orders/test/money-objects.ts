import { randomUUID } from 'node:crypto'
import { importStatement, listBankReceipts } from '@quittance/contracts/bank-receipts'
import { addCustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { customerCaller } from '@quittance/testing/callers'
import { buildCamt } from './camt.ts'
import { asThisRelease } from './money.ts'
import { oweOrder } from './owed-order.ts'
import type { OrdersUnderTest, Shop } from './start-orders.ts'
import { buyInvoicedByTransfer, createPaidTransfer, waitForPaymentState } from './transfer-shop.ts'

const insertDispute = `
  insert into disputes (id, created_at, organization_id, payment_id, payment_account_id, provider_dispute, status, amount, currency, reason)
  select gen_random_uuid(), now(), organization_id, id, payment_account_id, 'du_1', 'won', amount, currency, 'general' from payments where id = $1
  returning id`

const keepWaiting = `
  update payment_methods set provider_method = 'pm_ctoken_pending' where customer_id = (select customer_id from orders where id = $1) returning 1`

/**
 * Creates a payment by transfer with a refund and a dispute, a receipt without a payment, an order whose payment can be tried again, and one
 * that can be voided, and a method that waits for its buyer. Returns their ids by path or subject.
 */
export async function createMoneyObjects(orders: OrdersUnderTest, shop: Shop): Promise<Record<string, string>> {
  const { paymentId, refundId, accountId } = await createPaidTransfer(orders, shop)
  const document = buildCamt([{ unstructured: ['Hello'], currency: 'USD', reference: randomUUID() }])
  await orders.call(importStatement, { id: accountId, document }, shop.seller)
  const unmatched = await orders.call(listBankReceipts, { is_matched: false }, shop.seller)
  const [dispute] = await orders.rows<{ id: string }>(insertDispute, [paymentId])
  const owed = await oweOrder(orders, shop, `${randomUUID()}@example.com`)
  await orders.rows(keepWaiting, [owed])
  const { orderId: unpaid, paymentId: unanswered } = await buyInvoicedByTransfer({ orders, shop })
  // Without the money the request ends, so that no job checks it later.
  await asThisRelease(
    orders,
    `update payments set action_until = now() - interval '1 day', next_check_at = now() where id = '${unanswered}'`,
  )
  await waitForPaymentState({ orders }, unanswered, 'failed')
  return {
    payments: paymentId,
    refunds: refundId,
    'bank-receipts': unmatched.items[0]?.id ?? '',
    disputes: dispute?.id ?? '',
    'orders.payment-account.import-statement': accountId,
    'orders.order.retry-payment': owed,
    'orders.order.void': unpaid,
    'sandbox/actions': await openAction(orders, shop),
  }
}

/** Adds a method that waits for its buyer, and returns the secret of the step. */
async function openAction(orders: OrdersUnderTest, { organizationId, seller }: Shop): Promise<string> {
  const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, seller)
  const adding = orders.call(
    addCustomerPaymentMethod,
    { confirmation_token_id: 'ctoken_action' },
    customerCaller({ organizationId, customerId }),
  )
  const rejection = await adding.catch((error: unknown) => error)
  return (rejection as { body: { client_secret: string } }).body.client_secret
}
