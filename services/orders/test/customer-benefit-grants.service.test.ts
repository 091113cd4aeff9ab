import { randomUUID } from 'node:crypto'
import { deleteBenefit } from '@quittance/contracts/benefits'
import { getPortalCustomer } from '@quittance/contracts/portal-customers'
import { getCustomerBenefitGrant, listCustomerBenefitGrants } from '@quittance/contracts/customer-benefit-grants'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { updateProductBenefits } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { buildOrganization, startOrders, type OrdersUnderTest } from './start-orders.ts'
import { createPlan } from './subscribe.ts'

async function createBuyer(orders: OrdersUnderTest) {
  const shop = await createBenefitShop(orders, ['Alpha', 'Bravo'])
  const order = await buyProduct(orders, shop)
  return { ...shop, order, me: customerCaller({ organizationId: shop.organizationId, customerId: order.customer_id }) }
}

test('a customer reads their benefits, how to use them, and the seller', async () => {
  await using orders = await startOrders()
  const { me, order, benefits, organizationId } = await createBuyer(orders)
  const { items } = await orders.call(listCustomerBenefitGrants, {}, me)
  const alpha = items.find(({ benefit }) => benefit.description === 'Alpha')
  expect(alpha).toMatchObject({
    order_id: order.id,
    subscription_id: null,
    customer_id: order.customer_id,
    benefit_id: benefits[0]?.id,
    is_granted: true,
    is_revoked: false,
    properties: {},
    customer: await orders.call(getPortalCustomer, {}, me),
    benefit: {
      type: 'custom',
      properties: { note: 'How to use: Alpha' },
      metadata: { key: 'Alpha' },
      organization: buildOrganization(organizationId),
    },
  })
  expect(await orders.call(getCustomerBenefitGrant, { id: alpha?.id ?? '' }, me)).toEqual(alpha)
})

test('filters a list by every filter and sorts it by every property', async () => {
  await using orders = await startOrders()
  const { me, order, benefits, organizationId } = await createBuyer(orders)
  const list = async (request: object) =>
    (await orders.call(listCustomerBenefitGrants, request, me)).items.map(({ benefit }) => benefit.description).toSorted()
  const both = ['Alpha', 'Bravo']
  for (const sorting of ['granted_at', '-granted_at', 'type', ['-type', 'organization'], '-organization']) {
    expect(await list({ sorting })).toEqual(both)
  }
  expect(await list({ benefit_id: [benefits[1]?.id] })).toEqual(['Bravo'])
  expect(await list({ order_id: order.id, organization_id: organizationId, checkout_id: [order.checkout_id], type: 'custom' })).toEqual(
    both,
  )
  for (const filter of ['order_id', 'organization_id', 'checkout_id', 'subscription_id', 'benefit_id']) {
    expect(await list({ [filter]: randomUUID() })).toEqual([])
  }
  expect(await list({ type: ['discord', 'license_keys'] })).toEqual([])
})

test('the grants of a subscription are those of its checkout', async () => {
  await using orders = await startOrders()
  const shop = await createBenefitShop(orders, ['Alpha'])
  const plan = await createPlan(orders, shop.seller)
  await orders.call(updateProductBenefits, { id: plan.id, benefits: shop.benefits.map(({ id }) => id) }, shop.seller)
  const order = await buyProduct(orders, { ...shop, product: plan })
  const me = customerCaller({ organizationId: shop.organizationId, customerId: order.customer_id })
  const list = async (checkout_id: string) => (await orders.call(listCustomerBenefitGrants, { checkout_id }, me)).items
  await eventually(async () => {
    expect(await list(order.checkout_id ?? '')).toMatchObject([{ order_id: null, subscription_id: order.subscription_id }])
  })
  expect(await list(randomUUID())).toEqual([])
})

test('neither lists nor finds revoked and deleted benefits', async () => {
  await using orders = await startOrders()
  const { me, order, benefits, seller } = await createBuyer(orders)
  const grants = (await orders.call(listCustomerBenefitGrants, {}, me)).items
  const alpha = grants.find(({ benefit_id }) => benefit_id === benefits[0]?.id)?.id ?? ''
  await orders.call(deleteBenefit, { id: benefits[0]?.id ?? '' }, seller)
  await expect(orders.call(getCustomerBenefitGrant, { id: alpha }, me)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listCustomerBenefitGrants, {}, me)).items).toMatchObject([{ benefit_id: benefits[1]?.id }])
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 1, revoke_benefits: true }, seller)
  expect(await orders.call(listCustomerBenefitGrants, {}, me)).toEqual({ items: [], pagination: { total_count: 0, max_page: 0 } })
  for (const { id } of grants) await expect(orders.call(getCustomerBenefitGrant, { id }, me)).rejects.toThrow(ResourceNotFound)
})

test('returns not found for grants of another customer and of another organization', async () => {
  await using orders = await startOrders()
  const { me, order, organizationId } = await createBuyer(orders)
  const id = (await orders.call(listCustomerBenefitGrants, {}, me)).items[0]?.id ?? ''
  const strangers = [
    customerCaller({ organizationId, customerId: randomUUID() }),
    customerCaller({ organizationId: randomUUID(), customerId: order.customer_id }),
  ]
  for (const stranger of strangers) {
    await expect(orders.call(getCustomerBenefitGrant, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    expect((await orders.call(listCustomerBenefitGrants, {}, stranger)).items).toEqual([])
  }
})
