import type { Address } from '@quittance/contracts/address'
import { checkoutCreated, createCheckout as createCheckoutContract } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { mintToken } from '@quittance/runtime/credential'
import { command, type CommandContext, type Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { isTaxIdOfCountry } from '../pricing/tax-id.ts'
import { Discount } from '../catalog/discounts/discount.ts'
import { requireOrganization } from '../organizations/organization.ts'
import { Product } from '../catalog/products/product.ts'
import { Checkout, checkoutLifetimeMs } from './checkout.ts'
import { checkoutEvent } from './checkout-event.ts'
import { checkoutView } from './checkout-view.ts'
import { priceCheckout } from './checkout-pricing.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { activeStatuses } from '../subscriptions/subscription-status.ts'

type Request = RequestOf<typeof createCheckoutContract>

export const createCheckout = command(createCheckoutContract, async (request, context) => {
  const { em, now, read, publish } = context
  const product = await chooseProduct(request, context)
  const { organizationId } = product
  const price = product.currentPrice()
  const currency = price.priceCurrency ?? 'usd'
  const externalCustomerId = request.external_customer_id ?? request.customer_external_id ?? null
  const upgraded = await findUpgradedSubscription(request, { product, em })
  const customerId = upgraded?.customerId ?? request.customer_id ?? null
  const customer = await findCustomer({ id: customerId, externalCustomerId, organizationId }, context)
  const address = request.customer_billing_address ?? customer?.billingAddress ?? null
  const checkout = em.create(Checkout, {
    organizationId,
    status: 'open',
    clientSecret: mintToken('qt_co_'),
    expiresAt: new Date(now.getTime() + checkoutLifetimeMs),
    successUrl: request.success_url ?? null,
    embedOrigin: request.embed_origin ?? null,
    productIds: request.products,
    productId: product.id,
    productPriceId: price.id,
    discountId: null,
    customerId: customer?.id ?? null,
    linkedCustomerId: request.customer_id ? (customer?.id ?? null) : null,
    isCustomerProven: true,
    subscriptionId: upgraded?.id ?? null,
    currency,
    priceAmount: price.amountFor(request.amount ? BigInt(request.amount) : null),
    amount: 0n,
    discountAmount: 0n,
    taxAmount: null,
    taxes: [],
    allowDiscountCodes: request.allow_discount_codes,
    requireBillingAddress: request.require_billing_address,
    isBusinessCustomer: request.is_business_customer,
    externalCustomerId,
    customerName: request.customer_name || (customer?.name ?? null),
    customerEmail: customer?.email ?? request.customer_email ?? null,
    customerIpAddress: request.customer_ip_address ?? null,
    customerBillingName: request.customer_billing_name || null,
    customerBillingAddress: address,
    customerTaxId: request.customer_tax_id || knownTaxId(customer, address),
    customerMetadata: request.customer_metadata,
    metadata: request.metadata,
  })
  if (request.discount_id) {
    const discount = await em.findOne(Discount, { id: request.discount_id, organizationId })
    if (!discount?.isRedeemable({ productId: product.id, currency, now })) {
      throw RequestValidationError.field(['discount_id'], 'Discount does not exist or cannot be used.')
    }
    checkout.applyDiscount(discount)
  }
  await priceCheckout(checkout, context)
  await em.flush()
  const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id: checkout.id } })
  publish({ event: checkoutCreated, aggregateId: checkout.id, organizationId, payload: checkoutEvent(view, checkout) })
  return view
})

/** The first product is preselected. All products must be available and belong to one organization. */
async function chooseProduct({ products }: Request, { em, sql }: CommandContext): Promise<Product> {
  const found = await em.find(Product, { id: { $in: products }, isArchived: false }, { populate: ['prices'] })
  const byId = new Map(found.map((product) => [product.id, product]))
  const missing = products.findIndex((id) => !byId.has(id))
  if (missing >= 0) throw RequestValidationError.field(['products', missing], 'Product does not exist or is archived.')
  const chosen = byId.get(products[0] as string) as Product
  if (found.some((product) => product.organizationId !== chosen.organizationId)) {
    throw RequestValidationError.field(['products'], 'Products do not belong to the same organization.')
  }
  await requireOrganization(sql, chosen.organizationId)
  return chosen
}

/** The customer's own tax id, unless it is of another country than the address. */
function knownTaxId(customer: Customer | null, address: Address | null): string | null {
  const number = customer?.taxId?.[0]
  return number && address && isTaxIdOfCountry(number, address.country) ? number : null
}

interface WantedCustomer {
  id: string | null
  externalCustomerId: string | null
  organizationId: string
}

/** A customer id must exist. An unknown external id is assigned to the customer created at confirmation. */
async function findCustomer({ id, externalCustomerId, organizationId }: WantedCustomer, { em }: CommandContext): Promise<Customer | null> {
  if (id) {
    const customer = await em.findOne(Customer, { id, organizationId, deletedAt: null })
    if (!customer) throw RequestValidationError.field(['customer_id'], 'Customer does not exist.')
    return customer
  }
  return externalCustomerId ? em.findOne(Customer, { externalId: externalCustomerId, organizationId, deletedAt: null }) : null
}

/** Returns the free subscription that a checkout upgrades, or null if it upgrades none. */
export async function findUpgradedSubscription(
  { subscription_id: id, customer_id }: Request,
  { product, em }: { product: Product; em: Transaction['em'] },
): Promise<Subscription | null> {
  if (!id) return null
  const { organizationId } = product
  const subscription = await em.findOne(Subscription, { id, organizationId, status: { $in: [...activeStatuses] } })
  if (!subscription) throw createSubscriptionIdError('Subscription does not exist or has ended.')
  if (subscription.priceAmount > 0n) throw createSubscriptionIdError('Only a free subscription can be upgraded by a checkout.')
  if (!product.recurringInterval) throw createSubscriptionIdError('Product is not recurring.')
  if (customer_id && customer_id !== subscription.customerId) throw createSubscriptionIdError('Subscription belongs to another customer.')
  return subscription
}

function createSubscriptionIdError(message: string): RequestValidationError {
  return RequestValidationError.field(['subscription_id'], message)
}
