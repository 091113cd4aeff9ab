import { storeBySetup, storeFurtherMethod } from './stored-method.ts'
import { randomUUID } from 'node:crypto'
import { createBenefit } from '@quittance/contracts/benefits'
import { listBenefitGrants } from '@quittance/contracts/benefit-grants'
import type { Caller, CallerKind } from '@quittance/contracts/caller'
import { createCheckoutLink } from '@quittance/contracts/checkout-links'
import { createCheckout } from '@quittance/contracts/checkouts'
import { requestCustomerSession } from '@quittance/contracts/customer-codes'
import { declareWithdrawal } from '@quittance/contracts/declarations'
import { activateLicenseKey, listLicenseKeys } from '@quittance/contracts/license-keys'
import { createProduct, updateProductBenefits } from '@quittance/contracts/products'
import { createCustomer } from '@quittance/contracts/customers'
import { createDiscount } from '@quittance/contracts/discounts'
import { pathVariables, type PublicOperation } from '@quittance/contracts/operation'
import { updateOrder } from '@quittance/contracts/orders'
import { createPaymentAccount } from '@quittance/contracts/payment-accounts'
import { publicOperations } from '@quittance/contracts/registry'
import { createTaxRate } from '@quittance/contracts/taxes'
import { verifyEmailUpdate } from '@quittance/contracts/portal-customers'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import { buildCamt } from './camt.ts'
import { createMoneyObjects } from './money-objects.ts'
import { buyProduct, createBenefitShop } from './sell-benefits.ts'
import { buildAccountRequest, sharedFake } from './stripe-shop.ts'
import { readCode, requestUpdateCode } from './read-code.ts'
import type { OrdersUnderTest, Shop } from './start-orders.ts'
import { buyActive, oweOrder } from './owed-order.ts'
import { createPlan } from './subscribe.ts'

/** All HTTP operations of orders. */
export const ordersOperations = publicOperations.filter(({ subject }) => subject.startsWith('orders.'))

/** Returns a request that succeeds for an authorized caller. */
export type Requests = (operation: PublicOperation) => { request: Record<string, unknown>; caller: Caller }

export interface PopulatedShop {
  organizationId: string
  customerId: string
  /** Ids and an e-mail address that identify anything of this shop. */
  marks: string[]
  requestFor: Requests
}

const tenPercent = { name: 'Ten', type: 'percentage', basis_points: 1000, duration: 'once' } as const

/**
 * Creates a seller with one object of each kind, and for each operation a request about it. `sharedFake` must have been called before the
 * service was started.
 */
export async function createPopulatedShop(orders: OrdersUnderTest): Promise<PopulatedShop> {
  const shop = await createBenefitShop(orders, ['A call'])
  const { seller, organizationId, product } = shop
  const email = `${randomUUID()}@example.com`
  const customer = await orders.call(createCustomer, { email, external_id: randomUUID() }, seller)
  const spare = await orders.call(createCustomer, { email: `${randomUUID()}@example.com`, external_id: randomUUID() }, seller)
  const [own, portal] = [await buyProduct(orders, shop, email), await buyProduct(orders, shop, email)]
  const details = { billing_name: 'Ada', billing_address: { country: 'GB', postal_code: 'SW1Y 4JH' } }
  for (const { id } of [own, portal]) await orders.call(updateOrder, { id, ...details }, seller)
  const owed = await oweOrder(orders, shop, email)
  const [subscription, second] = [await buyActive(orders, shop, email), await buyActive(orders, shop)]
  const { id: discount } = await orders.call(createDiscount, tenPercent, seller)
  const checkout = await orders.call(createCheckout, { products: [product.id] }, seller)
  const licensed = { ...(await createLicense(orders, shop, email)), ...(await createLink(orders, shop)) }
  const benefit = shop.benefits[0]?.id ?? ''
  const code = await requestCode(orders, { organization_id: organizationId, email })
  const update = await requestUpdateCode(orders, shop)
  await orders.call(declareWithdrawal, { organization_id: organizationId, name: 'Ada', email, reference: own.id }, { kind: 'anonymous' })
  const [{ account, key }, grant] = [await connectAccount(orders, seller), await findGrant(orders, { seller, benefit })]
  const ids = {
    ...(await createMoneyObjects(orders, shop)),
    'orders.customer-order.confirm-payment': owed,
    ...(await storeMethods(orders, { organizationId, customerId: customer.id })),
    'payment-accounts': account,
    products: product.id,
    benefits: benefit,
    discounts: discount,
    customers: customer.id,
    'customers/external': spare.external_id ?? '',
    checkouts: checkout.id,
    'checkouts/client': checkout.client_secret,
    orders: own.id,
    'tax-rates': (await orders.call(createTaxRate, { country: 'NZ', name: 'GST', percentage: 15 }, seller)).id,
    plan: (await createPlan(orders, seller, { price: 2000 })).id,
    ...licensed,
    subscriptions: second.id,
    'customer-portal/orders': portal.id,
    'customer-portal/subscriptions': subscription.id,
    'customer-portal/benefit-grants': grant,
    'customer-portal/organizations': 'acme-books',
  }
  const callers: Partial<Record<CallerKind, Caller>> = {
    organization: seller,
    customer: { kind: 'customer', organization_id: organizationId, customer_id: customer.id, token_id: randomUUID() },
    anonymous: { kind: 'anonymous' },
  }
  const requestFor: Requests = (operation) => {
    const caller = operation === verifyEmailUpdate ? update.caller : callers[operation.http.callers[0] as CallerKind]
    if (!caller) throw new Error(`No caller of the shop can call ${operation.subject}`)
    return {
      request: {
        ...buildBody(operation, { organizationId, ids, key, code: { email, code }, updateCode: update.code, spareEmail: spare.email }),
        ...buildPathParameters(operation, ids),
      },
      caller,
    }
  }
  return { organizationId, customerId: customer.id, marks: [organizationId, email, ...Object.values(ids)], requestFor }
}

function findGrant(orders: OrdersUnderTest, { seller, benefit }: { seller: Caller; benefit: string }): Promise<string> {
  return eventually(async () => {
    const { items } = await orders.call(listBenefitGrants, { id: benefit }, seller)
    expect(items.length).toBeGreaterThan(0)
    return items[0]?.id ?? ''
  })
}

/** Stores a method to delete and one to make the default. */
async function storeMethods(
  orders: OrdersUnderTest,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<Ids> {
  return {
    'orders.customer-payment-method.delete': await storeFurtherMethod(orders, customerId, 'ctoken_slow'),
    'orders.customer-payment-method.set-default': await storeFurtherMethod(orders, customerId, 'ctoken_pending'),
    setup: await storeBySetup(orders, customerCaller({ organizationId, customerId })),
  }
}

/** Connects an account, not as the default: the sales of this shop are paid by the sandbox. Returns its id, and the key of another account. */
async function connectAccount(orders: OrdersUnderTest, seller: Caller): Promise<{ account: string; key: string }> {
  const fake = await sharedFake()
  const request = { ...buildAccountRequest(fake.createAccount()), is_default: false }
  const { id } = await orders.call(createPaymentAccount, request, seller)
  return { account: id, key: fake.createAccount().apiKey }
}

type Ids = Record<string, string>

/** Creates a link to buy the product. */
async function createLink(orders: OrdersUnderTest, { seller, product }: Shop): Promise<Ids> {
  const { id, client_secret } = await orders.call(createCheckoutLink, { products: [product.id] }, seller)
  return { 'checkout-links': id, 'checkout-links/client': client_secret }
}

/** Creates a license key of this buyer, activated twice. */
async function createLicense(orders: OrdersUnderTest, { seller, organizationId }: Shop, email: string): Promise<Ids> {
  const properties = { activations: { limit: 5, enable_customer_admin: true } }
  const { id } = await orders.call(createBenefit, { type: 'license_keys', description: 'A key', properties }, seller)
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const made = await orders.call(createProduct, { name: 'Engine', recurring_interval: null, prices }, seller)
  const product = await orders.call(updateProductBenefits, { id: made.id, benefits: [id] }, seller)
  await buyProduct(orders, { organizationId, seller, product }, email)
  const license = await eventually(async () => {
    const [first] = (await orders.call(listLicenseKeys, {}, seller)).items
    if (!first) throw new Error('no key yet')
    return first
  })
  const request = { key: license.key, organization_id: organizationId, label: 'desk' }
  const activate = () => orders.call(activateLicenseKey, request, { kind: 'anonymous' })
  const [desk, shelf] = [await activate(), await activate()]
  const held = { 'customer-portal/license-keys': license.id, 'license-keys': license.id, key: license.key }
  return { ...held, 'license-keys/activations': desk.id, spareActivation: shelf.id }
}

/** Returns the path variables of an operation: the object, and one inside it. */
function buildPathParameters({ http, subject }: PublicOperation, ids: Ids): Record<string, string> {
  const collections = http.path.slice('/v1/'.length).split(/\/\{\w+\}\/?/)
  return Object.fromEntries(
    pathVariables(http).map((variable, index) => {
      const collection = collections.slice(0, index + 1).join('/')
      const id = ids[subject] ?? ids[collection]
      if (!id) throw new Error(`The populated shop has nothing in ${collection}`)
      return [variable, id]
    }),
  )
}

/** Requests a sign-in code of a customer, and reads it as the mail service does. */
async function requestCode(orders: OrdersUnderTest, request: { organization_id: string; email: string }): Promise<string> {
  await orders.call(requestCustomerSession, request, { kind: 'anonymous' })
  return (await readCode(orders)).code
}

/** What bodies are made of. */
interface Known {
  organizationId: string
  ids: Ids
  /** Key of an account at the provider that is not connected yet. */
  key: string
  /** A sign-in code with its address; a new one for that address would end it. */
  code: { email: string; code: string }
  updateCode: string
  spareEmail: string
}

/** Returns the body of an operation; operations that need none get an empty one. */
function buildBody({ subject }: PublicOperation, { organizationId, ids, key, code, updateCode, spareEmail }: Known): object {
  const held = { key: ids['key'], organization_id: organizationId }
  const bodies: Record<string, object> = {
    'orders.product.create': { name: 'Almanac', recurring_interval: null, prices: [{ amount_type: 'fixed', price_amount: 900 }] },
    'orders.product.update-benefits': { benefits: [ids['benefits']] },
    'orders.benefit.create': { type: 'custom', description: 'A book', properties: {} },
    'orders.benefit.update': { type: 'custom', description: 'Two books' },
    'orders.discount.create': { name: 'Half', type: 'percentage', basis_points: 5000, duration: 'once' },
    'orders.license-key.validate': held,
    'orders.license-key.activate': { ...held, label: 'laptop' },
    'orders.license-key.deactivate': { ...held, activation_id: ids['license-keys/activations'] },
    'orders.sold-license-key.deactivate': { ...held, activation_id: ids['spareActivation'] },
    'orders.tax-rate.create': { country: 'AU', name: 'GST', percentage: 10 },
    'orders.customer.create': { email: `${randomUUID()}@example.com` },
    'orders.checkout.create': { products: [ids['products']] },
    'orders.checkout-link.create': { products: [ids['products']] },
    'orders.checkout.confirm': {
      customer_email: `${randomUUID()}@example.com`,
      customer_billing_address: { country: 'GB' },
      confirmation_token_id: 'ctoken_pending',
    },
    'orders.payment-account.create': { provider: 'stripe', mode: 'test', secret_key: key, is_default: false },
    'orders.payment.add-receipt': { amount: 1, booked_on: '2026-11-24', bank_reference: 'A second receipt' },
    'orders.payment-account.import-statement': { document: buildCamt([{}]) },
    'orders.refund.create': { order_id: ids['orders'], reason: 'other', amount: 1 },
    'orders.subscription.update': { discount_id: null },
    'orders.subscription.change-preview': { product_id: ids['plan'] },
    'orders.customer-subscription.change-preview': { product_id: ids['plan'] },
    'orders.customer-order.confirm-payment': { confirmation_token_id: 'ctoken_pending' },
    'orders.customer-payment-method.add': { confirmation_token_id: 'ctoken_refund_pending' },
    'orders.customer-payment-method.confirm': { setup_id: ids['setup'] },
    'orders.customer-subscription.update': { cancellation_reason: 'unused' },
    'orders.test-clock.advance': { to: new Date(Date.now() + 600_000).toISOString() },
    'orders.customer-session.create': { customer_id: ids['customers'] },
    'orders.withdrawal.declare': {
      organization_id: organizationId,
      name: 'Ada',
      email: code.email,
      order_id: ids['customer-portal/orders'],
    },
    'orders.cancellation.declare': { organization_id: organizationId, name: 'Ada', email: spareEmail },
    'orders.customer-code.request': { organization_id: organizationId, email: spareEmail },
    'orders.customer-code.authenticate': { organization_id: organizationId, ...code },
    'orders.portal-customer.request-email-update': { email: `${randomUUID()}@example.com` },
    'orders.portal-customer.verify-email-update': { token: updateCode },
  }
  return bodies[subject] ?? bodies[subject.replace('.sold-', '.')] ?? {}
}
