import { randomUUID } from 'node:crypto'
import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { orderPaymentActionRequired, type OrderPaymentAction } from '@quittance/contracts/order-payments'
import { buildContractExample } from '@quittance/contracts/schema-example'
import {
  subscriptionCanceled,
  subscriptionCreated,
  subscriptionRevoked,
  subscriptionUncanceled,
  subscriptionUpdated,
  type Subscription,
} from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startMail, type TestMail } from './start-mail.ts'

function createSubscription(mail: TestMail): Subscription {
  const example = buildContractExample(subscriptionCreated.payload) as Subscription
  const { customer } = mail.order()
  return {
    ...example,
    id: randomUUID(),
    customer,
    customer_id: customer.id,
    status: 'active',
    amount: 4900,
    currency: 'usd',
    recurring_interval: 'month',
  }
}

/** Returns the page of the mail about an event of a subscription. */
async function mailAbout(
  mail: TestMail,
  { event, subscription }: { event: typeof subscriptionRevoked; subscription: Subscription },
): Promise<string> {
  await mail.emit(event, subscription, { organizationId: mail.organizationId, aggregateId: subscription.customer_id })
  const [sent] = await mail.ended(1)
  return (await fetch(`http://127.0.0.1:${mail.healthPort()}/mailbox/${sent?.id}`)).text()
}

const kinds = async (mail: TestMail, count: number) => (await mail.ended(count)).map(({ kind, status }) => `${kind} ${status}`).toReversed()

test('mails a cancellation, its withdrawal, a failed payment and the end of a subscription', async () => {
  await using mail = await startMail()
  const subscription = createSubscription(mail)
  const about = { organizationId: mail.organizationId, aggregateId: subscription.customer_id }
  await mail.emit(subscriptionCreated, subscription, about)
  await mail.emit(subscriptionCanceled, { ...subscription, cancel_at_period_end: true, ends_at: '2026-12-23T10:00:00Z' }, about)
  await mail.emit(subscriptionUncanceled, subscription, about)
  await mail.emit(subscriptionRevoked, { ...subscription, status: 'past_due' }, about)
  // An immediate end has two events and one mail.
  await mail.emit(subscriptionCanceled, { ...subscription, status: 'canceled' }, about)
  await mail.emit(subscriptionRevoked, { ...subscription, status: 'canceled' }, about)
  expect(new Set(await kinds(mail, 4))).toEqual(
    new Set(['subscription_cancelled sent', 'subscription_uncancelled sent', 'payment_failed sent', 'subscription_ended sent']),
  )
})

test('mails the end of a subscription once, also if it lost its access to a failed payment before', async () => {
  await using mail = await startMail()
  const end = async (subscription: Subscription, events: readonly (typeof subscriptionCanceled)[]) => {
    const about = { organizationId: mail.organizationId, aggregateId: subscription.customer_id }
    for (const event of events) await mail.emit(event, { ...subscription, status: 'canceled' }, about)
  }
  const failed = createSubscription(mail)
  await mail.emit(
    subscriptionRevoked,
    { ...failed, status: 'past_due' },
    { organizationId: mail.organizationId, aggregateId: failed.customer_id },
  )
  // Access is revoked once, so the end after the last attempt has no such event.
  await end(failed, [subscriptionUpdated, subscriptionCanceled])
  await end(createSubscription(mail), [subscriptionUpdated, subscriptionCanceled, subscriptionRevoked])
  await end(createSubscription(mail), [subscriptionUpdated, subscriptionRevoked])
  expect((await kinds(mail, 4)).toSorted()).toEqual([
    'payment_failed sent',
    'subscription_ended sent',
    'subscription_ended sent',
    'subscription_ended sent',
  ])
})

test('the mail of a failed payment leads to the page of the portal that pays it', async () => {
  await using mail = await startMail()
  const subscription: Subscription = { ...createSubscription(mail), status: 'past_due' }
  const page = await mailAbout(mail, { event: subscriptionRevoked, subscription })
  expect(page).toContain(`http://127.0.0.1:8080/harbour/portal/subscriptions/${subscription.id}/pay`)
})

test('the mail of a failed payment states the next attempt, or that only the customer can pay, and until when', async () => {
  const read = async (event: typeof subscriptionRevoked, change: Partial<Subscription>) => {
    await using mail = await startMail()
    const subscription: Subscription = { ...createSubscription(mail), status: 'past_due', ...change }
    return (await mailAbout(mail, { event, subscription })).replaceAll(/\s+/g, ' ')
  }
  const retried = { next_payment_attempt_at: '2026-12-02T10:00:00Z', ends_unpaid_at: '2026-12-17T10:00:00Z' }
  const final = { ...retried, next_payment_attempt_at: null }
  expect(await read(subscriptionRevoked, retried)).toMatch(/is tried again on \P{L}*December 2, 2026(?!.*(not tried|ends on))/u)
  for (const event of [subscriptionRevoked, subscriptionCanceled]) {
    const text = await read(event, { ...final, cancel_at_period_end: event === subscriptionCanceled })
    expect(text).toMatch(/not tried again by itself\. Please pay now.*the subscription ends on \P{L}*December 17, 2026/u)
  }
  expect(await read(subscriptionRevoked, { ...final, ends_unpaid_at: null })).toMatch(/not tried again by itself(?!.*ends on)/)
  // Orders of the release before states neither.
  expect(await read(subscriptionRevoked, { next_payment_attempt_at: undefined })).not.toMatch(/tried again|ends on/)
})

test('the mail of a cancellation after a failed payment promises no access, and leads to the page that pays', async () => {
  await using mail = await startMail()
  const subscription: Subscription = {
    ...createSubscription(mail),
    status: 'past_due',
    cancel_at_period_end: true,
    ends_at: '2026-12-23T10:00:00Z',
  }
  const page = await mailAbout(mail, { event: subscriptionCanceled, subscription })
  expect(page).toContain('is paused because a payment failed')
  expect(page).not.toMatch(/You keep access|Access until|No further payment/)
  expect(page).toContain(`http://127.0.0.1:8080/harbour/portal/subscriptions/${subscription.id}/pay`)
})

test('the mail of a withdrawn cancellation after a failed payment announces no later payment, and leads to the page that pays', async () => {
  await using mail = await startMail()
  const subscription: Subscription = { ...createSubscription(mail), status: 'past_due' }
  const page = await mailAbout(mail, { event: subscriptionUncanceled, subscription })
  expect(page).toMatch(/Your\s+access\s+is\s+paused\s+until\s+it\s+succeeds/)
  expect(page).not.toMatch(/next payment|Next payment/)
  expect(page).toContain(`http://127.0.0.1:8080/harbour/portal/subscriptions/${subscription.id}/pay`)
})

test('mails a change of the plan once it is paid, and nothing about other changes and one that is undone', async () => {
  await using mail = await startMail()
  const subscription = createSubscription(mail)
  const about = { organizationId: mail.organizationId, aggregateId: subscription.customer_id }
  await mail.emit(subscriptionCreated, subscription, about)
  await mail.emit(subscriptionUpdated, { ...subscription, amount: 5000 }, about)
  const product = { ...subscription.product, id: randomUUID(), name: 'Reading room XL' }
  const changed = { ...subscription, product, product_id: product.id }
  await mail.emit(subscriptionUpdated, { ...changed, unpaid_change_order_id: randomUUID() }, about)
  await mail.emit(subscriptionUpdated, subscription, about)
  await mail.emit(subscriptionUpdated, { ...changed, unpaid_change_order_id: randomUUID() }, about)
  await mail.emit(subscriptionUpdated, { ...changed, unpaid_change_order_id: null }, about)
  await mail.emit(subscriptionUpdated, { ...subscription, product, product_id: product.id, amount: 6000 }, about)
  expect(await kinds(mail, 1)).toEqual(['plan_changed sent'])
})

test('mails the links of an invoice and a credit note once, and none for an event of the release before', async () => {
  await using mail = await startMail()
  const [invoice_id, credit_note_id, order_id] = [randomUUID(), randomUUID(), randomUUID()]
  const delivery = {
    customer_id: randomUUID(),
    recipient: 'buyer@example.com',
    locale: 'de',
    currency: 'eur',
    total_amount: 5831,
    url: `http://127.0.0.1:8080/v1/invoices/documents/${invoice_id}?expires=1&signature=x`,
    url_expires_at: '2026-12-23T10:00:00Z',
  }
  const generated_at = '2026-11-23T10:00:00Z'
  const about = { organizationId: mail.organizationId, aggregateId: invoice_id }
  const invoice = { invoice_id, order_id, number: 'HB-1', sha256: 'a'.repeat(64), generated_at }
  await mail.emit(invoiceGenerated, { ...invoice, invoice_id: randomUUID() }, about)
  await mail.emit(invoiceGenerated, { ...invoice, delivery }, about)
  await mail.emit(invoiceGenerated, { ...invoice, delivery }, about)
  await mail.emit(creditNoteGenerated, { credit_note_id, order_id, number: 'HB-C-1', generated_at, delivery }, about)
  expect(new Set(await kinds(mail, 2))).toEqual(new Set(['invoice sent', 'credit_note sent']))
})

test('a mail shows its own seller, and its organization alone lists it', async () => {
  await using mail = await startMail()
  const other = randomUUID()
  await mail.describeSeller({ id: other, name: 'Other Shop', slug: 'other', email: 'other@example.com' })
  await mail.pay(mail.order())
  await mail.pay(mail.order(), { organizationId: other })
  const [own] = await mail.ended(1)
  expect(own?.organization_id).toBe(mail.organizationId)
  await eventually(async () => {
    const list = await (await fetch(`http://127.0.0.1:${mail.healthPort()}/mailbox`)).text()
    expect(new Set(list.match(/Your receipt from (Harbour Books|Other Shop)/g))).toHaveProperty('size', 2)
  })
})

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
  const active = { ...(subscription ?? createSubscription(mail)), id: randomUUID(), status: 'active' as const }
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
