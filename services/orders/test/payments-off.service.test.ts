import { confirmCheckout, createCheckout, getCheckoutByClient, PaymentError } from '@quittance/contracts/checkouts'
import { getPortalOrganization } from '@quittance/contracts/customer-portal'
import { Conflict, NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import { orderPaid } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { completeSandboxAction } from '@quittance/contracts/sandbox'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { eventually } from '@quittance/testing/eventually'
import { afterAll, expect, test, vi } from 'vitest'
import { useTestProcessor } from './slow-processor.ts'
import { startOrders } from './start-orders.ts'

// The SQL of views depends on this setting and is built when the service is loaded: this file loads it again. Off is the default.
vi.hoisted(() => {
  vi.resetModules()
  vi.stubEnv('SANDBOX_PAYMENTS', undefined)
})
afterAll(() => void vi.resetModules())

const anonymous = { kind: 'anonymous' } as const

test('without the sandbox, rejects confirmations with a payment and the test clock, and accepts free ones [payments 67]', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  for (const confirmation_token_id of ['ctoken_ok', null]) {
    const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id }
    await expect(orders.call(confirmCheckout, confirmation, anonymous)).rejects.toThrow(PaymentError)
  }
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({
    status: 'open',
    customer_id: null,
    payment_processor_metadata: {},
  })
  const portal = await orders.call(getPortalOrganization, { slug: 'acme-books' }, anonymous)
  expect(portal.payment_processor_metadata).toEqual({})
  for (const table of ['orders', 'customers', 'payments', 'customer_sessions'])
    expect(await orders.rows(`select from ${table}`)).toEqual([])
  const to = new Date(Date.now() + 86_400_000).toISOString()
  await expect(orders.call(advanceTestClock, { to }, seller)).rejects.toThrow(NotPermitted)
  const free = await orders.call(createProduct, { name: 'Free', recurring_interval: null, prices: [{ amount_type: 'free' }] }, seller)
  const checkout = await orders.call(createCheckout, { products: [free.id] }, seller)
  await orders.call(confirmCheckout, { client_secret: checkout.client_secret, customer_email: 'ada@example.com' }, anonymous)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ total_amount: 0 })
})

test('rejects a refund and reserves nothing if the provider is not offered any more', async () => {
  await using orders = await startOrders()
  const { seller, order } = await sold()
  const refund = { order_id: order.id, reason: 'other' as const, amount: 100 }
  await expect(orders.call(createRefund, refund, seller)).rejects.toThrow('does not offer any more')
  await expect(orders.call(createRefund, refund, seller)).rejects.toMatchObject({ name: Conflict.name })
  expect(await orders.rows('select from refunds')).toEqual([])

  async function sold() {
    using processor = useTestProcessor()
    const bought = await orders.paidOrder({ billed: false })
    await eventually(async () => expect(await orders.rows(`select from payments where status = 'pending'`)).toEqual([]))
    expect(processor.calls.submit).toHaveLength(1)
    return bought
  }
})

test('without the sandbox, a step of the bank that was open before cannot be completed', async () => {
  await using orders = await startOrders()
  const { organizationId } = await orders.shop()
  await orders.rows(
    `insert into sandbox_objects (id, kind, organization_id, ours, amount, currency, token, status, made_by)
      values ('sandbox_before', 'charge', $1, gen_random_uuid(), 4200, 'usd', 'ctoken_action', 'requires_action', 'before') returning 1`,
    [organizationId],
  )
  await expect(orders.call(completeSandboxAction, { secret: 'sandbox_before_secret' }, anonymous)).rejects.toThrow(ResourceNotFound)
})
