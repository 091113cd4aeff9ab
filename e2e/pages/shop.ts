import type { Page } from '../browser/chromium.ts'
import type { RunningSystem } from '@quittance/testing/system'

/** A checkout as the seller created it. */
export interface Checkout {
  id: string
  url: string
  client_secret: string
}

/** An order as its seller reads it. */
export interface PlacedOrder {
  id: string
  status: string
  total_amount: number
  subscription_id: string
  [key: string]: unknown
}

/** What a test sells. */
export interface Shop {
  create<Reply = { id: string }>(path: string, body: object): Promise<Reply>
  /** Creates a product with one price. */
  sell(price: object, fields?: object): Promise<{ id: string }>
  /** Creates a checkout, by default of the demo product. */
  checkout(fields?: object): Promise<Checkout>
  orders(checkout: Checkout): Promise<PlacedOrder[]>
}

export const countryField = '[name="customer_billing_address.country"]'
export const orderButton = 'button[value=order]'

/** Reads the total that the summary of a checkout shows. */
export const readTotal = (page: Page) => page.$eval('[data-live="summary-total"]', (element) => element.textContent)

/** Creates products and checkouts through the API. */
export function openShop({ api, demo }: RunningSystem): Shop {
  const create: Shop['create'] = async (path, body) => {
    const reply = await api('POST', path, body)
    if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  return {
    create,
    sell: (price, fields = {}) => create('/v1/products/', { name: 'Atlas', recurring_interval: null, prices: [price], ...fields }),
    checkout: (fields = {}) => create('/v1/checkouts/', { products: [demo.product_id], ...fields }),
    orders: async ({ id }) => (await api('GET', `/v1/orders/?checkout_id=${id}`)).body.items,
  }
}
