import { randomUUID } from 'node:crypto'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { reconcilePayments } from '@quittance/contracts/payment-operations'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { buildIntent, pay, prepare } from './stripe-contract-cases.ts'
import { deliverEvent, sell, startStripeShop, toWorld, type StripeShop } from './stripe-shop.ts'
import { startTransferShop } from './transfer-shop.ts'

const operator = { kind: 'operator' } as const
/** Name of the installation under test: the host of `BASE_URL`. */
const installation = '127.0.0.1:8080'
const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString()

const reconcile = ({ orders, account }: StripeShop, request: { limit?: number; since?: string; until?: string } = {}) =>
  orders.call(reconcilePayments, { account_id: account.id, since: hourAgo(), ...request }, operator)

const requireIntent = ({ fake, stripe }: StripeShop, id: string) => {
  const intent = fake.state(stripe.id).paymentIntents.get(id)
  if (!intent) throw new Error(`no intent ${id}`)
  return intent
}

const findPayment = async ({ orders }: StripeShop, intent: string) => {
  const [row] = await orders.rows<{ id: string }>('select id from payments where provider_payment = $1', [intent])
  return row?.id
}

/** Leaves the rows as they are: refunds are read again soon after they were made. */
const stopChecks = ({ orders }: StripeShop) => asThisRelease(orders, `update refunds set next_check_at = now() + interval '1 day'`)

test('equal accounts have no difference, and objects of other software are counted apart', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const [first, second] = [await sell(shop), await sell(shop)]
  await orders.call(createRefund, { order_id: first.order.id, reason: 'other', amount: 500 }, shop.shop.seller)
  // Older than its row, and than the list: it is read by its id.
  const made = fake.state(stripe.id).refunds.get(fake.bank.refundInDashboard(stripe.id, second.intent, 700))
  if (made) made.created -= 7_200
  await deliverEvent(shop, 'refund.created')
  await eventually(async () => expect(await orders.rows(`select from refunds where state = 'succeeded'`)).toHaveLength(2))
  await stopChecks(shop)
  await pay(toWorld(shop), 'pm_card_visa')
  const before = await orders.rows('select * from payments order by id')
  const reply = await reconcile(shop)
  expect(reply).toMatchObject({ differences: [], total_count: 0 })
  const { compared_since: since, ...payments } = reply.payments
  expect(payments).toEqual({ compared: 2, others: 1, in_progress: 0 })
  expect(Date.parse(since)).toBeLessThan(Date.now() - 3_500_000)
  expect(reply.refunds).toMatchObject({ compared: 2, others: 0, in_progress: 0 })
  expect(await orders.rows('select * from payments order by id')).toEqual(before)
  expect(JSON.stringify(reply)).not.toContain(stripe.apiKey)
})

test('reports a payment with our metadata that has no row', async () => {
  await using shop = await startStripeShop()
  await sell(shop)
  const { theirs } = await pay(toWorld(shop, installation), 'pm_card_visa')
  const { differences, payments } = await reconcile(shop)
  expect(differences).toEqual([
    { object: 'payment', id: null, provider_id: theirs, what: 'missing here', at_provider: 'succeeded 1190 eur', here: null },
  ])
  expect(payments).toMatchObject({ compared: 2, others: 0 })
})

test('reports a row whose object the provider does not know', async () => {
  await using shop = await startStripeShop()
  const { intent, order } = await sell(shop)
  await shop.orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 500 }, shop.shop.seller)
  await eventually(async () => expect(await shop.orders.rows(`select from refunds where state = 'succeeded'`)).toHaveLength(1))
  await stopChecks(shop)
  const { paymentIntents, refunds } = shop.fake.state(shop.stripe.id)
  paymentIntents.delete(intent)
  refunds.clear()
  const what = { what: 'missing at the provider', at_provider: null }
  const id = (await findPayment(shop, intent)) as string
  expect((await reconcile(shop)).differences).toEqual([
    { ...what, object: 'payment', id, provider_id: intent, here: 'succeeded 4200 usd' },
    { ...what, object: 'refund', id: expect.any(String), provider_id: expect.any(String), here: 'succeeded 500 usd' },
  ])
})

test('reports another amount and another outcome, but not of a row that is being driven', async () => {
  await using shop = await startStripeShop()
  const [paid, canceled] = [await sell(shop), await sell(shop)]
  Object.assign(requireIntent(shop, paid.intent), { amount: 4201, amount_received: 4201 })
  Object.assign(requireIntent(shop, canceled.intent), { status: 'canceled', amount_received: 0 })
  const about = { object: 'payment', id: await findPayment(shop, paid.intent), provider_id: paid.intent }
  const id = await findPayment(shop, canceled.intent)
  const { differences, total_count } = await reconcile(shop)
  expect(differences).toHaveLength(total_count)
  expect(new Set(differences)).toEqual(
    new Set([
      { ...about, what: 'amount', at_provider: '4201 usd', here: '4200 usd' },
      { ...about, what: 'received', at_provider: '4201 usd', here: '4200 usd' },
      { object: 'payment', id, provider_id: canceled.intent, what: 'outcome', at_provider: 'canceled', here: 'succeeded' },
    ]),
  )
  await asThisRelease(shop.orders, `update payments set leased_until = now() + interval '1 day'`)
  expect(await reconcile(shop)).toMatchObject({ total_count: 0, payments: { compared: 0, in_progress: 2 } })
})

test('reports a refund of the dashboard without a row, and others that differ', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { intent, order } = await sell(shop)
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 500 }, shop.shop.seller)
  const [own] = await eventually(async () => {
    const rows = await orders.rows<{ id: string; provider_refund: string }>(`select * from refunds where state = 'succeeded'`)
    expect(rows).toHaveLength(1)
    return rows
  })
  await stopChecks(shop)
  const made = fake.bank.refundInDashboard(stripe.id, intent, 700)
  fake.bank.settleRefund(stripe.id, fake.bank.refundInDashboard(stripe.id, intent, 100), 'failed')
  const refund = fake.state(stripe.id).refunds.get(own?.provider_refund ?? '')
  Object.assign(refund ?? {}, { amount: 501, status: 'failed', failure_reason: 'declined' })
  const reply = await reconcile(shop)
  const about = { object: 'refund', id: own?.id, provider_id: own?.provider_refund }
  expect(reply.differences).toEqual([
    { object: 'refund', id: null, provider_id: made, what: 'missing here', at_provider: 'succeeded 700 usd', here: null },
    { ...about, what: 'amount', at_provider: '501 usd', here: '500 usd' },
    { ...about, what: 'outcome', at_provider: 'failed', here: 'succeeded' },
  ])
  // One that failed moved no money.
  expect(reply.refunds).toMatchObject({ compared: 2, others: 1 })
})

test('reads every page of the list, and within a limit reports since when all was compared', async () => {
  await using shop = await startStripeShop()
  const { fake, stripe } = shop
  const { intent } = await sell(shop)
  requireIntent(shop, intent).amount = 4201
  const other = toWorld(shop)
  for (let count = 0; count < 101; count++) {
    const theirs = await prepare(other, buildIntent())
    requireIntent(shop, theirs).created += 3_600
  }
  const begun = fake.calls.length
  const lists = () => fake.calls.slice(begun).filter(({ route, account }) => route === 'GET /v1/payment_intents' && account === stripe.id)
  const complete = await reconcile(shop)
  expect(complete).toMatchObject({ total_count: 1, payments: { compared: 1, others: 101 } })
  expect(lists()).toHaveLength(2)
  const limited = await reconcile(shop, { limit: 100 })
  expect(limited).toMatchObject({ total_count: 0, payments: { compared: 0, others: 100 } })
  expect(Date.parse(limited.payments.compared_since)).toBeGreaterThan(Date.now())
  expect(lists()).toHaveLength(3)
  const rest = await reconcile(shop, { until: limited.payments.compared_since })
  expect(rest).toMatchObject({ total_count: 1, payments: { compared: 1 } })
})

test('a comparison until a time continues with the older rows, also those that are not listed', async () => {
  await using shop = await startStripeShop()
  const sold = [await sell(shop), await sell(shop), await sell(shop)]
  // Older than the list: they are read by their ids.
  for (const { intent } of sold) requireIntent(shop, intent).created -= 7_200
  const [, second] = await shop.orders.rows<{ at: string }>(`select to_json(created_at)#>>'{}' as at from payments order by created_at`)
  const until = new Date(second?.at ?? '').toISOString()
  expect(await reconcile(shop)).toMatchObject({ total_count: 0, payments: { compared: 3 } })
  expect(await reconcile(shop, { until })).toMatchObject({ total_count: 0, payments: { compared: 2 } })
})

test('an account that hangs or is limited gives no comparison, and holds no transaction', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const begun = fake.calls.length
  const calls = () => fake.calls.slice(begun).filter(({ route, account }) => route === 'GET /v1/payment_intents' && account === stripe.id)
  fake.inject({ route: 'GET /v1/payment_intents', moment: 'before', fault: { kind: 'timeout' } })
  const hanging = reconcile(shop).catch((error: unknown) => error)
  await eventually(() => expect(calls()).toHaveLength(1))
  await sell(shop)
  const open = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
  // Less than the call takes: other transactions end, one around the call would not.
  await eventually(async () => expect(await orders.rows(open)).toEqual([]), { withinMs: 3_000 })
  expect(await hanging).toMatchObject({ status: 503, message: expect.stringContaining('gave no answer (timeout)') })
  fake.inject({ route: 'GET /v1/payment_intents', moment: 'before', fault: { kind: 'rate-limit', retryAfterSeconds: 60 } })
  await expect(reconcile(shop)).rejects.toThrow('gave no answer (busy)')
  const before = calls().length
  await expect(reconcile(shop)).rejects.toThrow('The provider limits the calls of the account')
  expect(calls()).toHaveLength(before)
})

test('only the operator compares accounts, and a key that is rejected is reported', async () => {
  await using shop = await startStripeShop()
  const request = { account_id: shop.account.id, since: hourAgo() }
  await expect(shop.orders.call(reconcilePayments, request, shop.shop.seller)).rejects.toThrow('Only the operator')
  await expect(shop.orders.call(reconcilePayments, { ...request, account_id: randomUUID() }, operator)).rejects.toThrow(ResourceNotFound)
  shop.fake.revokeKeys(shop.stripe.id)
  await expect(reconcile(shop)).rejects.toThrow('Stripe rejected the API key.')
  await expect(reconcile(shop)).rejects.toThrow(Conflict)
})

test('bank transfers have no list to compare with', async () => {
  await using transfers = await startTransferShop()
  const banked = transfers.orders.call(reconcilePayments, { account_id: transfers.account.id, since: hourAgo() }, operator)
  await expect(banked).rejects.toThrow('The provider bank_transfer has no list of payments to compare with.')
})
