import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { listOrders, orderPaid } from '@quittance/contracts/orders'
import { resolvePayment, showPayment } from '@quittance/contracts/payment-operations'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const operator = { kind: 'operator' } as const
const lost = { unknown: 'timeout', sent: true, retryAfterMs: null } as const

/** A payment of a new shop that is in quarantine. */
async function quarantined(orders: OrdersUnderTest, token: string): Promise<Shop & { id: string }> {
  const shop = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  const request = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: token }
  await orders.call(confirmCheckout, request, { kind: 'anonymous' })
  const [payment] = await orders.rows<{ id: string }>(
    `update payments set quarantined_at = now(), quarantine_reason = coalesce(quarantine_reason, 'a test') where organization_id = $1 returning id`,
    [shop.organizationId],
  )
  return { ...shop, id: payment?.id ?? '' }
}

const because = 'Checked in the report of the provider'

test('a decision against the provider is refused without force, writes nothing, and is in the timeline with it [payments 80]', async () => {
  await using orders = await startOrders()
  const { id, seller } = await quarantined(orders, 'ctoken_wrong_amount')
  const before = await orders.rows('select * from payments')
  for (const as of ['succeeded', 'failed'] as const) {
    const decision = orders.call(resolvePayment, { id, as, because }, operator)
    await expect(decision).rejects.toThrow('The provider reports succeeded, received is 4201 usd, not 4200 usd.')
    await expect(decision).rejects.toThrow(Conflict)
  }
  expect(await orders.rows('select * from payments')).toEqual(before)
  expect(await orders.rows('select 1 from payment_resolutions')).toEqual([])
  const resolved = await orders.call(resolvePayment, { id, as: 'succeeded', because, force: true }, operator)
  expect(resolved).toMatchObject({ state: 'succeeded', quarantine_reason: null, next_check_at: null })
  await orders.nextEvent(orderPaid)
  expect((await orders.call(listOrders, {}, seller)).items).toMatchObject([{ status: 'paid' }])
  const { timeline, ledger } = await orders.call(showPayment, { id }, operator)
  expect(timeline.map(({ what }) => what)).toEqual(['created', 'submitted', 'resolved by force', 'succeeded'])
  expect(timeline[2]?.detail).toBe(`as succeeded, the provider reported succeeded: ${because}`)
  expect(ledger).toMatchObject([{ reason: 'captured', amount: 4200 }])
  await expectMoneyToAddUp(orders)
})

test('a decision that the provider confirms needs no force, and is recorded once however often it is repeated [payments 80]', async () => {
  await using orders = await startOrders()
  const { id } = await quarantined(orders, 'ctoken_action')
  await expect(orders.call(resolvePayment, { id, as: 'failed', because }, operator)).rejects.toThrow('reports requires_action')
  using processor = useTestProcessor()
  processor.instead.read = async () => lost
  await expect(orders.call(resolvePayment, { id, as: 'failed', because }, operator)).rejects.toThrow('reports nothing')
  delete processor.instead.read
  await orders.rows(`update sandbox_objects set status = 'untouched' where ours = $1`, [id])
  for (let i = 0; i < 2; i++) {
    expect(await orders.call(resolvePayment, { id, as: 'failed', because }, operator)).toMatchObject({ quarantine_reason: null })
    await eventually(async () => expect(await orders.rows('select state from payments')).toEqual([{ state: 'failed' }]))
  }
  expect(await orders.rows('select status from sandbox_objects')).toEqual([{ status: 'canceled' }])
  expect(await orders.rows('select is_forced, provider_state from payment_resolutions')).toEqual([
    { is_forced: false, provider_state: 'untouched' },
  ])
  await expect(orders.call(resolvePayment, { id, as: 'succeeded', because, force: true }, operator)).rejects.toThrow(Conflict)
  await expect(orders.call(resolvePayment, { id: randomUUID(), as: 'failed', because }, operator)).rejects.toThrow(ResourceNotFound)
})

test('a seller cannot decide about a payment', async () => {
  await using orders = await startOrders()
  const { id, seller } = await quarantined(orders, 'ctoken_pending')
  await expect(orders.call(resolvePayment, { id, as: 'succeeded', because, force: true }, seller)).rejects.toThrow('Only the operator')
  expect(await orders.rows('select state from payments')).toEqual([{ state: 'processing' }])
})
