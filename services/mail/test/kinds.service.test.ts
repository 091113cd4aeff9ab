import { randomUUID } from 'node:crypto'
import { creditNoteGenerated } from '@quittance/contracts/credit-note-events'
import { invoiceGenerated } from '@quittance/contracts/invoices'
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
    is_paid_by_transfer: false,
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
  const transfer = { ...retried, is_paid_by_transfer: true }
  expect(await read(subscriptionRevoked, transfer)).toMatch(/not arrived in time.*new request for the transfer on \P{L}*December 2, 2026/u)
  expect(await read(subscriptionRevoked, { ...final, is_paid_by_transfer: true })).not.toMatch(/declined|tried again/)
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
