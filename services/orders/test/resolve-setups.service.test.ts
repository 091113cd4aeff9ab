import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { addCustomerPaymentMethod, listCustomerPaymentMethods } from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { Conflict } from '@quittance/contracts/errors'
import { listStuckPayments, recheckPayment, resolvePayment, showPayment } from '@quittance/contracts/payment-operations'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const operator = { kind: 'operator' } as const
const because = 'Checked in the dashboard of the provider'

interface Added {
  id: string
  organizationId: string
  customerId: string
  buyer: Caller
  seller: Caller
}

/** A setup of a customer of a new shop, whatever came of it. */
async function addMethod(orders: OrdersUnderTest, token: string): Promise<Added> {
  const { organizationId, seller } = await orders.shop()
  const { id: customerId } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, seller)
  const buyer = customerCaller({ organizationId, customerId })
  await orders.call(addCustomerPaymentMethod, { confirmation_token_id: token }, buyer).catch(() => {})
  const [setup] = await orders.rows<{ id: string }>('select id from payment_setups where customer_id = $1', [customerId])
  return { id: setup?.id ?? '', organizationId, customerId, buyer, seller }
}

async function quarantine(orders: OrdersUnderTest, { id }: Added): Promise<void> {
  await orders.rows(`update payment_setups set quarantined_at = now(), quarantine_reason = 'a test' where id = $1 returning 1`, [id])
}

const list = async (orders: OrdersUnderTest, { buyer }: Added) => (await orders.call(listCustomerPaymentMethods, {}, buyer)).items

test('a decision about a setup against the provider needs force, and is in its timeline [payments 80]', async () => {
  await using orders = await startOrders()
  const added = await addMethod(orders, 'ctoken_wrong_mode')
  const { id } = added
  const before = await orders.rows('select * from payment_setups')
  for (const as of ['succeeded', 'failed'] as const) {
    const decision = orders.call(resolvePayment, { id, as, because }, operator)
    await expect(decision).rejects.toThrow('The provider reports succeeded, mode is live, not test.')
    await expect(decision).rejects.toThrow(Conflict)
  }
  expect(await orders.rows('select * from payment_setups')).toEqual(before)
  expect(await orders.rows('select 1 from payment_resolutions')).toEqual([])
  expect(await list(orders, added)).toEqual([])
  const resolved = await orders.call(resolvePayment, { id, as: 'succeeded', because, force: true }, operator)
  expect(resolved).toMatchObject({ kind: 'setup', state: 'succeeded', quarantine_reason: null, next_check_at: null })
  expect(await list(orders, added)).toMatchObject([{ type: 'card', default: true }])
  const shown = await orders.call(showPayment, { id }, operator)
  expect(shown.timeline.map(({ what }) => what)).toEqual(['created', 'submitted', 'resolved by force', 'succeeded'])
  expect(shown.timeline[2]?.detail).toBe(`as succeeded, the provider reported succeeded: ${because}`)
  expect(shown).toMatchObject({ payment: { id, kind: 'setup', customer_id: added.customerId, amount: null }, refunds: [], ledger: [] })
})

test('a decision about a setup that the provider confirms is recorded once [payments 80]', async () => {
  await using orders = await startOrders()
  const added = await addMethod(orders, 'ctoken_action')
  const { id } = added
  await quarantine(orders, added)
  await expect(orders.call(resolvePayment, { id, as: 'failed', because }, operator)).rejects.toThrow('reports requires_action')
  {
    using processor = useTestProcessor()
    processor.instead.read = async () => ({ unknown: 'timeout', sent: true, retryAfterMs: null })
    await expect(orders.call(resolvePayment, { id, as: 'failed', because }, operator)).rejects.toThrow('reports nothing')
  }
  await orders.rows(`update sandbox_objects set status = 'untouched' where ours = $1 returning 1`, [id])
  for (let count = 0; count < 2; count++) {
    expect(await orders.call(resolvePayment, { id, as: 'failed', because }, operator)).toMatchObject({ quarantine_reason: null })
    await eventually(async () => expect(await orders.rows('select state from payment_setups')).toEqual([{ state: 'failed' }]))
  }
  expect(await orders.rows('select status from sandbox_objects')).toEqual([{ status: 'canceled' }])
  expect(await orders.rows('select payment_id, payment_setup_id, is_forced, provider_state from payment_resolutions')).toEqual([
    { payment_id: null, payment_setup_id: id, is_forced: false, provider_state: 'untouched' },
  ])
  expect(await list(orders, added)).toEqual([])
})

test('a setup cannot succeed without a method of the provider, not even by force', async () => {
  await using orders = await startOrders()
  const added = await addMethod(orders, 'ctoken_action')
  await quarantine(orders, added)
  const decision = orders.call(resolvePayment, { id: added.id, as: 'succeeded', because, force: true }, operator)
  await expect(decision).rejects.toThrow('The provider reports no method that could be stored.')
  expect(await orders.rows('select state from payment_setups')).toEqual([{ state: 'requires_action' }])
})

test('a setup in quarantine is listed as stuck, and only the operator decides about it', async () => {
  await using orders = await startOrders()
  const { id, organizationId, seller } = await addMethod(orders, 'ctoken_wrong_mode')
  const { payments, total_count } = await orders.call(listStuckPayments, {}, operator)
  const reason = { quarantine_reason: 'mode is live, not test' }
  expect(payments).toMatchObject([{ ...reason, id, kind: 'setup', organization_id: organizationId, order_id: null, currency: null }])
  expect(total_count).toBe(1)
  await expect(orders.call(resolvePayment, { id, as: 'failed', because, force: true }, seller)).rejects.toThrow('Only the operator')
  await expect(orders.call(showPayment, { id }, seller)).rejects.toThrow('Only the operator')
  await expect(orders.call(recheckPayment, { id }, seller)).rejects.toThrow('Only the operator')
  expect(await orders.rows('select quarantine_reason from payment_setups')).toEqual([reason])
})

test('a recheck of a settled setup records what the provider reports now', async () => {
  await using orders = await startOrders()
  const added = await addMethod(orders, 'ctoken_expired')
  expect(await orders.rows('select state from payment_setups')).toEqual([{ state: 'failed' }])
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  expect(await orders.call(recheckPayment, { id: added.id }, operator)).toEqual({ id: added.id })
  await eventually(async () => expect(await list(orders, added)).toMatchObject([{ default: true }]))
  expect(await orders.rows('select state from payment_setups')).toEqual([{ state: 'succeeded' }])
})
