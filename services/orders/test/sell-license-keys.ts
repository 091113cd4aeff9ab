import { createBenefit, type Benefit } from '@quittance/contracts/benefits'
import type { Caller } from '@quittance/contracts/caller'
import { listLicenseKeys, type LicenseKeyRead, type LicenseKeyTerms } from '@quittance/contracts/license-keys'
import type { Order } from '@quittance/contracts/orders'
import { updateProductBenefits } from '@quittance/contracts/products'
import { customerCaller } from '@quittance/testing/callers'
import { buyProduct } from './sell-benefits.ts'
import type { OrdersUnderTest, Shop } from './start-orders.ts'

export const anonymous = { kind: 'anonymous' } as const

export interface ShopWithKeys extends Shop {
  benefit: Benefit
}

export interface SoldKey extends ShopWithKeys {
  order: Order
  licenseKey: LicenseKeyRead
  /** Parameters that the holder of the key sends. */
  held: { key: string; organization_id: string }
  /** The buyer's portal session. */
  buyer: Caller
}

/** Creates a seller whose product comes with a license key. */
export async function createLicenseKeyShop(orders: OrdersUnderTest, properties: Partial<LicenseKeyTerms> = {}): Promise<ShopWithKeys> {
  const shop = await orders.shop()
  const benefit = await orders.call(createBenefit, { type: 'license_keys', description: 'The app', properties }, shop.seller)
  await orders.call(updateProductBenefits, { id: shop.product.id, benefits: [benefit.id] }, shop.seller)
  return { ...shop, benefit }
}

/** Buys the product and returns the key. */
export async function buyLicenseKey(orders: OrdersUnderTest, shop: ShopWithKeys, email = 'ada@example.com'): Promise<SoldKey> {
  const order = await buyProduct(orders, shop, email)
  const { items } = await orders.call(listLicenseKeys, { limit: 100 }, shop.seller)
  const licenseKey = items.findLast(({ customer_id }) => customer_id === order.customer_id)
  if (!licenseKey) throw new Error('no key was issued')
  const buyer = customerCaller({ organizationId: shop.organizationId, customerId: order.customer_id })
  return { ...shop, order, licenseKey, held: { key: licenseKey.key, organization_id: shop.organizationId }, buyer }
}
