import { randomUUID } from 'node:crypto'
import { CheckoutPublic } from '@quittance/contracts/checkout'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import { toConfirmation, toPriceChange } from './buyer-changes.ts'
import { readCheckoutForm } from './checkout-form.ts'

const open: CheckoutPublic = {
  ...(buildContractExample(CheckoutPublic) as CheckoutPublic),
  status: 'open',
  customer_id: null,
  customer_email: null,
  customer_name: null,
  customer_billing_name: null,
  customer_billing_address: null,
  customer_tax_id: null,
}
const typed = {
  customer_email: 'grace@example.com',
  customer_name: 'Grace Hopper',
  'customer_billing_address.country': 'GB',
  confirmation_token_id: 'ctoken_ok',
}

test('a second press sends what the first has sent, although the checkout has a customer by then [pages 33]', () => {
  const form = readCheckoutForm(typed)
  const { customer_email, customer_name } = typed
  const address = { country: 'GB', state: null, postal_code: null, city: null, line1: null, line2: null }
  const ordered: CheckoutPublic = {
    ...open,
    status: 'confirmed',
    customer_id: randomUUID(),
    customer_email,
    customer_name,
    customer_billing_address: address,
  }
  expect(toConfirmation(form, { checkout: ordered, total: 4900 })).toEqual(toConfirmation(form, { checkout: open, total: 4900 }))
})

test('the address of a customer whom the seller named is not sent [pages 12]', () => {
  const { customer_email: _, ...rest } = typed
  expect(toConfirmation(readCheckoutForm(rest), { checkout: { ...open, customer_id: randomUUID() }, total: 0 })).not.toHaveProperty(
    'customer_email',
  )
})

test('an amount is read in the currency of the product that it is typed for', () => {
  const [product] = open.products
  const custom = { ...open.product_price, amount_type: 'custom', price_currency: 'jpy', is_archived: false, minimum_amount: 50 }
  const yen = { ...product, id: randomUUID(), prices: [custom] } as CheckoutPublic['product']
  const checkout: CheckoutPublic = { ...open, currency: 'usd', products: [open.product, yen] }
  const form = readCheckoutForm({ ...typed, product_id: yen.id, amount: '1000' })
  expect(toPriceChange(form, { checkout, locale: 'en' })).toMatchObject({ product_id: yen.id, amount: 1000 })
})
