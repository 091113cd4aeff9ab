import { createBenefit, type Benefit } from '@quittance/contracts/benefits'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { updateProductBenefits } from '@quittance/contracts/products'
import { eventually } from '@quittance/testing/eventually'
import type { OrdersUnderTest, Shop } from './start-orders.ts'

export interface ShopWithBenefits extends Shop {
  benefits: Benefit[]
}

/** Creates a seller whose product has these benefits, in this order. */
export async function createBenefitShop(orders: OrdersUnderTest, descriptions: readonly string[]): Promise<ShopWithBenefits> {
  const shop = await orders.shop()
  const benefits: Benefit[] = []
  for (const description of descriptions) {
    const properties = { note: `How to use: ${description}` }
    benefits.push(
      await orders.call(createBenefit, { type: 'custom', description, properties, metadata: { key: description } }, shop.seller),
    )
  }
  const product = await orders.call(updateProductBenefits, { id: shop.product.id, benefits: benefits.map(({ id }) => id) }, shop.seller)
  return { ...shop, product, benefits }
}

/** Buys the product and returns once it is paid. */
export async function buyProduct(orders: OrdersUnderTest, { seller, product }: Shop, email = 'ada@example.com'): Promise<Order> {
  const { id, client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: email, confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  return eventually(async () => {
    const { items } = await orders.call(listOrders, { checkout_id: id }, seller)
    if (items[0]?.status !== 'paid') throw new Error('not paid yet')
    return items[0]
  })
}
