import { randomUUID } from 'node:crypto'
import { orderPaymentActionRequired, type OrderPaymentAction } from '@quittance/contracts/order-payments'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import { startMail, type TestMail } from './start-mail.ts'

/** Publishes that only the buyer can pay an order. The example of the contract asks for a transfer. */
function requirePayment(mail: TestMail, change: Partial<OrderPaymentAction>): Promise<unknown> {
  const { transfer: _, ...example } = buildContractExample(orderPaymentActionRequired.payload) as OrderPaymentAction
  const order = { ...example, ...mail.order({ total_amount: 2499, currency: 'eur', ...change }), ...change }
  return mail.emit(orderPaymentActionRequired, order, { organizationId: mail.organizationId, aggregateId: order.id })
}

const readMail = async (mail: TestMail, id = '') => (await fetch(`http://127.0.0.1:${mail.healthPort()}/mailbox/${id}`)).text()

test('a change of plan that only the buyer can pay is mailed once, with the page that pays it, and other orders are not', async () => {
  await using mail = await startMail()
  const { subscription } = buildContractExample(orderPaymentActionRequired.payload) as OrderPaymentAction
  if (!subscription) throw new Error('The example has no subscription')
  const active = { ...subscription, id: randomUUID(), status: 'active' as const }
  const change = { id: randomUUID(), billing_reason: 'subscription_update' as const, created_at: new Date().toISOString() }
  await requirePayment(mail, { id: randomUUID(), subscription: { ...active, status: 'past_due' }, billing_reason: 'subscription_cycle' })
  await requirePayment(mail, { ...change, id: randomUUID(), subscription: { ...active, status: 'canceled' } })
  const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString()
  await requirePayment(mail, { ...change, id: randomUUID(), subscription: active, created_at: yesterday })
  const { customer } = mail.order()
  for (let times = 0; times < 2; times++)
    await requirePayment(mail, { ...change, subscription: active, customer, customer_id: customer.id })
  const [sent, expired] = await mail.ended(2)
  expect([sent, expired].map((each) => `${each?.kind} ${each?.status}`)).toEqual(['plan_confirmation sent', 'plan_confirmation expired'])
  const page = await readMail(mail, sent?.id)
  expect(page).toContain(`http://127.0.0.1:8080/harbour/portal/subscriptions/${active.id}/pay`)
  expect(page).toContain('€24.99')
})

test('each request for a transfer is mailed once with account and reference, and not after its due date', async () => {
  await using mail = await startMail()
  const { payment, transfer } = buildContractExample(orderPaymentActionRequired.payload) as OrderPaymentAction
  if (!transfer) throw new Error('The example has no transfer')
  const { id, customer, customer_id } = mail.order()
  const renewal = { id, customer, customer_id, billing_reason: 'subscription_cycle' as const }
  const request = (reference: string, { days = 1, paymentId = randomUUID() as string } = {}) =>
    requirePayment(mail, {
      ...renewal,
      payment: { ...payment, id: paymentId },
      transfer: {
        ...transfer,
        reference,
        amount: 2499,
        currency: 'eur',
        due_date: new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
      },
    })
  await request('RF18539007547034', { days: -1 })
  const paymentId = randomUUID()
  for (let times = 0; times < 2; times++) await request('RF471234567890AB', { paymentId })
  await request('RF89ABCDEFGHJKLM')
  const mails = await mail.ended(3)
  expect(mails.map(({ kind, status }) => `${kind} ${status}`).toSorted()).toEqual([
    'transfer_request expired',
    'transfer_request sent',
    'transfer_request sent',
  ])
  const pages = await Promise.all(mails.filter(({ status }) => status === 'sent').map((each) => readMail(mail, each.id)))
  expect(new Set(pages.map((page) => page.match(/RF\d{2}\w{12}/)?.[0]))).toEqual(new Set(['RF471234567890AB', 'RF89ABCDEFGHJKLM']))
  for (const page of pages) {
    for (const text of [transfer.beneficiary, 'DE89 3704 0044 0532 0130 00', transfer.bic, '€24.99', 'Pay until'])
      expect(page).toContain(text)
    expect(page).toContain(`http://127.0.0.1:8080/harbour/portal/orders/${id}`)
  }
})

test('orders by transfer that anyone can place for an address are mailed ten times a day, and renewals beside them', async () => {
  await using mail = await startMail()
  const { payment, transfer } = buildContractExample(orderPaymentActionRequired.payload) as OrderPaymentAction
  if (!transfer) throw new Error('The example has no transfer')
  const { customer, customer_id } = mail.order()
  const due = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const request = (billing_reason: 'purchase' | 'subscription_cycle') =>
    requirePayment(mail, {
      id: randomUUID(),
      customer,
      customer_id,
      billing_reason,
      payment: { ...payment, id: randomUUID() },
      transfer: { ...transfer, due_date: due },
    })
  for (let times = 0; times < 12; times++) await request('purchase')
  await request('subscription_cycle')
  expect((await mail.ended(11)).map(({ kind, status }) => `${kind} ${status}`)).toEqual(
    Array.from({ length: 11 }, () => 'transfer_request sent'),
  )
  expect(await mail.rows(`select from messages where customer_id = $1`, [customer_id])).toHaveLength(11)
})
