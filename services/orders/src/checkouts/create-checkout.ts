import type { Address } from '@quittance/contracts/address'
import { checkoutCreated, createCheckout as contract } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { mintToken } from '@quittance/runtime/credential'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { Customer } from '../customers/customer.ts'
import { isTaxIdOf } from '../customers/tax-id.ts'
import { Discount } from '../discounts/discount.ts'
import { demandOrganization } from '../organizations/demand-organization.ts'
import { Product } from '../products/product.ts'
import { Checkout, checkoutLifetimeMs } from './checkout.ts'
import { findUpgraded } from './find-upgraded.ts'
import { checkoutView } from './checkout-view.ts'
import { priceCheckout } from './price-checkout.ts'

type Request = RequestOf<typeof contract>

export const createCheckout = command(contract, async (request, context) => {
  const { em, now, read, publish } = context
  const product = await chooseProduct(request, context)
  const { organizationId } = product
  const price = product.currentPrice()
  const currency = price.priceCurrency ?? 'usd'
  const externalCustomerId = request.external_customer_id ?? request.customer_external_id ?? null
  const upgraded = await findUpgraded(request, { product, em })
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
  publish({ event: checkoutCreated, aggregateId: checkout.id, organizationId, payload: view })
  return view
})

/** The first product is preselected; all must be for sale and of one organization. */
async function chooseProduct({ products }: Request, { em, rows }: CommandContext): Promise<Product> {
  const found = await em.find(Product, { id: { $in: products }, isArchived: false }, { populate: ['prices'] })
  const byId = new Map(found.map((product) => [product.id, product]))
  const missing = products.findIndex((id) => !byId.has(id))
  if (missing >= 0) throw RequestValidationError.field(['products', missing], 'Product does not exist or is archived.')
  const chosen = byId.get(products[0] as string) as Product
  if (found.some((product) => product.organizationId !== chosen.organizationId)) {
    throw RequestValidationError.field(['products'], 'Products do not belong to the same organization.')
  }
  await demandOrganization(rows, chosen.organizationId)
  return chosen
}

/** The customer's own, unless it is of another country than the address. */
function knownTaxId(customer: Customer | null, address: Address | null): string | null {
  const number = customer?.taxId?.[0]
  return number && address && isTaxIdOf(number, address.country) ? number : null
}

interface WantedCustomer {
  id: string | null
  externalCustomerId: string | null
  organizationId: string
}

/** A customer id must exist; an external id that is not known yet is given to the customer made at confirmation. */
async function findCustomer({ id, externalCustomerId, organizationId }: WantedCustomer, { em }: CommandContext): Promise<Customer | null> {
  if (id) {
    const customer = await em.findOne(Customer, { id, organizationId, deletedAt: null })
    if (!customer) throw RequestValidationError.field(['customer_id'], 'Customer does not exist.')
    return customer
  }
  return externalCustomerId ? em.findOne(Customer, { externalId: externalCustomerId, organizationId, deletedAt: null }) : null
}
