import { benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import { deleteBenefit } from '@quittance/contracts/benefits'
import { confirmCheckout, createCheckout, PaymentError } from '@quittance/contracts/checkouts'
import { customerStateChanged } from '@quittance/contracts/customer-state'
import { getOrder, orderPaid } from '@quittance/contracts/orders'
import { updateProductBenefits } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { sell, startStripeShop } from './stripe-shop.ts'

const reason = 'customer_request' as const
const lost = { unknown: 'timeout', sent: true, retryAfterMs: null } as const

/** Lets the next check of rows be due now. */
function checkNow(orders: OrdersUnderTest, table: 'payments' | 'refunds', where: string): Promise<void> {
  return asThisRelease(orders, `update ${table} set next_check_at = now(), leased_until = null where ${where}`)
}

/** Confirms a new checkout, or an existing one again. */
async function confirm(orders: OrdersUnderTest, client_secret: string, token: string) {
  const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }
  return orders.call(confirmCheckout, request, { kind: 'anonymous' })
}

async function open(orders: OrdersUnderTest, { seller, product }: Shop): Promise<string> {
  return (await orders.call(createCheckout, { products: [product.id] }, seller)).client_secret
}

const refunds = (orders: OrdersUnderTest) =>
  orders.rows('select state, purpose, checks, next_check_at > now() as is_scheduled from refunds order by created_at')

test('a refund whose record meets four conflicts is recorded and made once [payments 13]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  await orders.rows('create sequence conflicts')
  await orders.rows(`create function conflict() returns trigger language plpgsql security definer as $$ begin
    if nextval('conflicts') <= 4 then raise exception 'changed by another' using errcode = '40001'; end if; return new; end $$`)
  await orders.rows('create trigger conflicts before insert on refunds for each row execute function conflict()')
  const refund = await orders.call(createRefund, { order_id: order.id, reason, amount: 1200 }, seller)
  expect(refund).toMatchObject({ status: 'succeeded', amount: 1200 })
  expect(await orders.rows(`select last_value::int as tries from conflicts`)).toEqual([{ tries: 5 }])
  expect(processor.calls.refund).toEqual([refund.id])
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ refunded_amount: 1200 })
  expect(await orders.rows(`select id from sandbox_objects where kind = 'refund'`)).toHaveLength(1)
  await expectMoneyToAddUp(orders)
})

test('a settled payment whose requested read had no answer is read again', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  await expect(confirm(orders, await open(orders, shop), 'ctoken_late_success')).rejects.toThrow(PaymentError)
  processor.instead.read = async () => lost
  await checkNow(orders, 'payments', `state = 'failed'`)
  await eventually(async () => {
    expect(processor.calls.read).toHaveLength(1)
    expect(await orders.rows('select next_check_at > now() as is_scheduled from payments where leased_until is null')).toEqual([
      { is_scheduled: true },
    ])
  })
  delete processor.instead.read
  await checkNow(orders, 'payments', `state = 'failed'`)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ total_amount: 4200 })
  await expectMoneyToAddUp(orders)
})

test('a check that is requested while the answer of the one before is on its way is made too [payments 40]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  await confirm(orders, await open(orders, shop), 'ctoken_pending')
  processor.before.read = async () => {
    delete processor.before.read
    await orders.rows(`update sandbox_objects set status = 'succeeded' where kind = 'charge' returning 1`)
    await asThisRelease(orders, 'update payments set next_check_at = now()')
  }
  await checkNow(orders, 'payments', 'true')
  const { id } = await orders.nextEvent(orderPaid)
  await orders.call(createRefund, { order_id: id, reason, amount: 4200 }, shop.seller)
  processor.before.readRefund = async () => {
    delete processor.before.readRefund
    await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' where kind = 'refund' returning 1`)
    await asThisRelease(orders, 'update refunds set next_check_at = now()')
  }
  await checkNow(orders, 'refunds', 'true')
  await eventually(async () => expect(await refunds(orders)).toMatchObject([{ state: 'failed', is_scheduled: null }]))
  await expectMoneyToAddUp(orders)
})

test('a lost refund that is rejected when it is repeated fails once a search finds none', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  processor.instead.refund = async () => lost
  const { id, status } = await orders.call(createRefund, { order_id: order.id, reason, amount: 1200 }, seller)
  expect(status).toBe('pending')
  processor.instead.refund = async () => ({ misconfigured: 'request', detail: 'Refunded already.' })
  await checkNow(orders, 'refunds', 'true')
  await eventually(async () => {
    expect(processor.calls.refund).toHaveLength(2)
    expect(await orders.rows('select state from refunds where leased_until is null')).toEqual([{ state: 'submitted' }])
  })
  await asThisRelease(orders, `update refunds set first_sent_at = now() - interval '16 minutes', next_check_at = now()`)
  await eventually(async () =>
    expect(await orders.rows('select state, failure_reason from refunds')).toEqual([
      { state: 'failed', failure_reason: 'Refunded already.' },
    ]),
  )
  expect([processor.calls.findRefund, processor.calls.refund]).toEqual([[id], [id, id, id]])
  delete processor.instead.refund
  expect(await orders.call(createRefund, { order_id: order.id, reason, amount: 4200 }, seller)).toMatchObject({ status: 'succeeded' })
  await expectMoneyToAddUp(orders)
})

test('the last read of a refund that was made is repeated until it is answered', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  await orders.call(createRefund, { order_id: order.id, reason, amount: 4200 }, seller)
  using processor = useTestProcessor()
  processor.instead.readRefund = async () => lost
  await asThisRelease(orders, 'update refunds set checks = 3, next_check_at = now(), leased_until = null')
  await eventually(async () => {
    expect(processor.calls.readRefund.length).toBeGreaterThan(0)
    expect(await refunds(orders)).toMatchObject([{ state: 'succeeded', checks: 3, is_scheduled: true }])
  })
  delete processor.instead.readRefund
  await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' where kind = 'refund' returning 1`)
  await checkNow(orders, 'refunds', 'true')
  await eventually(async () => expect(await refunds(orders)).toMatchObject([{ state: 'failed', is_scheduled: null }]))
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ status: 'paid', refunded_amount: 0 })
  await expectMoneyToAddUp(orders)
})

test('a surplus that the bank returns is refunded again, three times in all', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const client_secret = await open(orders, shop)
  await expect(confirm(orders, client_secret, 'ctoken_late_success')).rejects.toThrow(PaymentError)
  await confirm(orders, client_secret, 'ctoken_ok')
  await orders.nextEvent(orderPaid)
  await checkNow(orders, 'payments', `state = 'failed'`)
  const bounced: object[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    await eventually(async () => expect(await refunds(orders)).toMatchObject([...bounced, { state: 'succeeded', purpose: 'surplus' }]))
    await expectMoneyToAddUp(orders)
    await orders.rows(
      `update sandbox_objects set token = 'ctoken_refund_bounces' where kind = 'refund' and status = 'succeeded' returning 1`,
    )
    await checkNow(orders, 'refunds', `state = 'succeeded'`)
    bounced.push({ state: 'failed', purpose: 'surplus', is_scheduled: null })
    if (attempt === 3) break
    // The next one waits for a day.
    await eventually(async () => expect(await refunds(orders)).toMatchObject([...bounced, { state: 'created', is_scheduled: true }]))
    await checkNow(orders, 'refunds', `state = 'created'`)
  }
  await eventually(async () => expect(await refunds(orders)).toMatchObject(bounced))
  const [left] = await orders.rows(`select coalesce(sum(case when credit = 'unapplied' then amount else -amount end), 0)::int as balance
    from ledger_entries where 'unapplied' in (debit, credit)`)
  expect(left).toEqual({ balance: 4200 })
})

test('benefits that a refund revoked are granted again once the bank has returned every such refund', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo', 'Later'])
  const [alpha = '', bravo = '', later = ''] = shop.benefits.map(({ id }) => id)
  const offer = (benefits: string[]) => orders.call(updateProductBenefits, { id: shop.product.id, benefits }, shop.seller)
  await offer([alpha, bravo])
  const order = await buyProduct(orders, shop)
  await offer([later])
  await orders.call(deleteBenefit, { id: bravo }, shop.seller)
  for (const amount of [100, 200])
    await orders.call(createRefund, { order_id: order.id, reason, amount, revoke_benefits: true }, shop.seller)
  await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' where kind = 'refund' returning 1`)
  const granted = () => orders.rows('select benefit_id from benefit_grants where revoked_at is null')
  await checkNow(orders, 'refunds', 'amount = 100')
  await eventually(async () => expect(await refunds(orders)).toMatchObject([{ state: 'failed' }, { state: 'succeeded' }]))
  expect(await granted()).toEqual([])
  await checkNow(orders, 'refunds', 'amount = 200')
  expect(await orders.nextEvent(benefitGrantUpdated)).toMatchObject({ order_id: order.id, benefit_id: alpha, is_granted: true })
  expect(await granted()).toEqual([{ benefit_id: alpha }])
  await eventually(() => expect(orders.publishedEvents.at(-1)?.subject).toBe(customerStateChanged.subject))
})

test('a refund that the bank returns leaves the order refunded by the others', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const { order } = await sell(shop)
  const refund = (amount: number) => orders.call(createRefund, { order_id: order.id, reason: 'other', amount }, seller.seller)
  await refund(100)
  const { id } = await refund(200)
  const readOrder = () => orders.call(getOrder, { id: order.id }, seller.seller)
  expect(await readOrder()).toMatchObject({ status: 'partially_refunded', refunded_amount: 300 })
  const [{ theirs } = { theirs: '' }] = await orders.rows<{ theirs: string }>(
    'select provider_refund as theirs from refunds where id = $1',
    [id],
  )
  fake.bank.settleRefund(stripe.id, theirs, 'failed')
  await checkNow(orders, 'refunds', `id = '${id}'`)
  await eventually(async () => expect(await readOrder()).toMatchObject({ status: 'partially_refunded', refunded_amount: 100 }))
  await expectMoneyToAddUp(orders)
})
