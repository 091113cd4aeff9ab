import { updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { openSandbox, replaceProviders } from '../src/providers/provider-of.ts'
import type { Answer, Intent, Seen } from '../src/providers/provider.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, createPlan, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

type Result = 'succeeded' | 'declined'

/** Replaces the provider by one whose results are decided by the amount; amounts without a result are in progress. */
function useScriptedProvider() {
  const results = new Map<bigint, Result>()
  const charges: { paymentId: string; amount: bigint }[] = []
  const intents = new Map<string, Intent>()
  const observe = (theirs: string): Answer<Seen> => {
    const { id: ours, money } = intents.get(theirs) as Intent
    const facts = { ours, theirs, account: 'sandbox', mode: 'test' as const, money, received: null }
    const result = money && results.get(money.amount)
    if (result === 'succeeded') return { got: { ...facts, is: result, received: money, method: null, charge: null } }
    if (result) return { got: { ...facts, is: result, decline: { kind: 'soft', code: 'generic', providerCode: null, notBefore: null } } }
    return { got: { ...facts, is: 'processing', checkAfterMs: 100 } }
  }
  const replaced = replaceProviders((account, context) => ({
    ...openSandbox(account, context),
    async prepare(intent) {
      const theirs = `object_${intent.id}`
      intents.set(theirs, intent)
      return { got: { ours: intent.id, theirs, account: 'sandbox', mode: 'test', money: intent.money, received: null, is: 'untouched' } }
    },
    async submit(theirs, { id, money }) {
      charges.push({ paymentId: id, amount: money?.amount ?? 0n })
      return observe(theirs)
    },
    read: async (theirs) => observe(theirs),
    async cancel(theirs) {
      const { id: ours, money } = intents.get(theirs) as Intent
      return { got: { ours, theirs, account: 'sandbox', mode: 'test', money, received: null, is: 'canceled' } }
    },
  }))
  return { results, charges, [Symbol.dispose]: () => replaced[Symbol.dispose]() }
}

/** Returns a subscription whose renewal of 30.00 and the earlier difference of about 20.00 are both in progress. */
async function oweTwoOrders(orders: OrdersUnderTest, subscribed: Subscribed): Promise<bigint> {
  const { subscription, seller } = subscribed
  const larger = await createPlan(orders, seller, { price: 3000 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: larger.id, proration_behavior: 'invoice' }, seller)
  // A change of the release before, which stores no terms: the renewal does not wait for its payment.
  await orders.rows('delete from unpaid_changes returning 1')
  const [difference] = await orders.rows<{ amount: string }>(`select total_amount as amount from orders where status = 'pending'`)
  await advance(orders, subscribed, after(subscription.current_period_end))
  await eventually(async () => expect(await orders.rows(`select from payments where status = 'pending'`)).toHaveLength(2))
  return BigInt(difference?.amount ?? 0)
}

test('a subscription with two owed orders stays past due until both are paid, whatever the order of results', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  using scripted = useScriptedProvider()
  const { results, charges } = scripted
  const difference = await oweTwoOrders(orders, subscribed)
  results.set(difference, 'declined')
  const pastDue = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  results.set(3000n, 'succeeded')
  await eventually(async () => expect(await orders.rows(`select from orders where status = 'pending'`)).toHaveLength(1))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  expect(await orders.rows('select failed_charges from subscriptions where due_at is not null')).toEqual([{ failed_charges: 1 }])
  results.set(difference, 'succeeded')
  await advance(orders, subscribed, after(pastDue.current_period_start, 2))
  await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(await orders.rows(`select from orders where status = 'pending'`)).toEqual([])
  // The paid renewal was not charged again.
  expect(new Set(charges.filter(({ amount }) => amount === 3000n).map(({ paymentId }) => paymentId)).size).toBe(1)
})

test('two declined orders of one attempt count as one failure, and a payment in progress is not started twice', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  using scripted = useScriptedProvider()
  const { results } = scripted
  const difference = await oweTwoOrders(orders, subscribed)
  results.set(difference, 'declined')
  const pastDue = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await advance(orders, subscribed, after(pastDue.current_period_start, 2))
  const failed = (count: number) =>
    eventually(async () => expect(await orders.rows(`select from payments where state = 'failed'`)).toHaveLength(count))
  await failed(2)
  expect(await orders.rows(`select from payments where status = 'pending'`)).toHaveLength(1)
  results.set(3000n, 'declined')
  await failed(3)
  expect(await orders.rows('select status, failed_charges from subscriptions')).toEqual([{ status: 'past_due', failed_charges: 2 }])
})
