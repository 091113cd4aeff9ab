import type { Address } from '@quittance/contracts/address'
import { createCheckout as createCheckoutContract } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { command, type CommandContext, type Transaction } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { isTaxIdOfCountry } from '@quittance/runtime/tax-id'
import { Discount } from '../catalog/discounts/discount.ts'
import { requireRedeemable } from '../catalog/discounts/redeem-discount.ts'
import { requireOrganization } from '../organizations/organization.ts'
import type { Product } from '../catalog/products/product.ts'
import { findOfferedProducts, nameProducts } from './offered-products.ts'
import { startCheckout } from './start-checkout.ts'
import { Subscription } from '../subscriptions/subscription.ts'
import { activeStatuses } from '../subscriptions/subscription-status.ts'

type Request = RequestOf<typeof createCheckoutContract>

export const createCheckout = command(createCheckoutContract, async (request, context) => {
  const { em, sql } = context
  const offered = await findOfferedProducts(context, await nameProducts(request, context))
  const [product] = offered
  assertCurrency(request, product)
  const { organizationId } = product
  await requireOrganization(sql, organizationId)
  const externalCustomerId = request.external_customer_id ?? request.customer_external_id ?? null
  const upgraded = await findUpgradedSubscription(request, { offered, em })
  const customerId = upgraded?.customerId ?? request.customer_id ?? null
  const customer = await findCustomer({ id: customerId, externalCustomerId, organizationId }, context)
  const address = request.customer_billing_address ?? customer?.billingAddress ?? null
  const { view } = await startCheckout(context, {
    product,
    productIds: offered.map(({ id }) => id),
    chosenAmount: request.amount ? BigInt(request.amount) : null,
    discount: await findDiscount(request, { product, context }),
    successUrl: request.success_url ?? null,
    embedOrigin: request.embed_origin ?? null,
    allowTrial: request.allow_trial,
    allowDiscountCodes: request.allow_discount_codes,
    requireBillingAddress: request.require_billing_address,
    metadata: request.metadata,
    customerId: customer?.id ?? null,
    linkedCustomerId: request.customer_id ? (customer?.id ?? null) : null,
    subscriptionId: upgraded?.id ?? null,
    isBusinessCustomer: request.is_business_customer,
    externalCustomerId,
    customerName: request.customer_name || (customer?.name ?? null),
    customerEmail: customer?.email ?? request.customer_email ?? null,
    customerIpAddress: request.customer_ip_address ?? null,
    customerBillingName: request.customer_billing_name || null,
    customerBillingAddress: address,
    customerTaxId: request.customer_tax_id || knownTaxId(customer, address),
    customerMetadata: request.customer_metadata,
  })
  return view
})

/** A product has prices in one currency. */
function assertCurrency({ currency }: Request, product: Product): void {
  const offered = product.currentPrice().priceCurrency ?? 'usd'
  if (currency && currency !== offered) throw RequestValidationError.field(['currency'], `The product is sold in ${offered}.`)
}

async function findDiscount(
  { discount_id: id }: Request,
  { product, context: { em, now } }: { product: Product; context: CommandContext },
): Promise<Discount | null> {
  if (!id) return null
  const discount = await em.findOne(Discount, { id, organizationId: product.organizationId })
  return requireRedeemable(discount, { productId: product.id, currency: product.currentPrice().priceCurrency ?? 'usd', now })
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

/** Returns the free subscription that a checkout upgrades, or null if it upgrades none. The buyer can choose any of the offered products. */
export async function findUpgradedSubscription(
  { subscription_id: id, customer_id }: Request,
  { offered, em }: { offered: readonly [Product, ...Product[]]; em: Transaction['em'] },
): Promise<Subscription | null> {
  if (!id) return null
  const { organizationId } = offered[0]
  const subscription = await em.findOne(Subscription, { id, organizationId, status: { $in: [...activeStatuses] } })
  if (!subscription) throw createSubscriptionIdError('Subscription does not exist or has ended.')
  if (subscription.priceAmount > 0n) throw createSubscriptionIdError('Only a free subscription can be upgraded by a checkout.')
  if (offered.some(({ recurringInterval }) => !recurringInterval)) throw createSubscriptionIdError('Product is not recurring.')
  if (customer_id && customer_id !== subscription.customerId) throw createSubscriptionIdError('Subscription belongs to another customer.')
  return subscription
}

function createSubscriptionIdError(message: string): RequestValidationError {
  return RequestValidationError.field(['subscription_id'], message)
}
