import { callerNetwork } from '@quittance/contracts/caller'
import { openCheckoutLink as contract } from '@quittance/contracts/checkout-links'
import { RequestValidationError, TooManyRequests } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { ResourceUnavailable } from '@quittance/contracts/subscriptions'
import { command, job, type CommandContext } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { Product } from '../catalog/products/product.ts'
import { createUnusableDiscountError, findDiscountByCode } from '../checkouts/checkout-pricing.ts'
import { checkoutPublicView } from '../checkouts/checkout-view.ts'
import { startCheckout } from '../checkouts/start-checkout.ts'
import { requireOrganization } from '../organizations/organization.ts'
import { CheckoutLink } from './checkout-link.ts'

type Request = RequestOf<typeof contract>

/** The buyer of a link is not known before the order. */
const unknownBuyer = {
  customerId: null,
  linkedCustomerId: null,
  subscriptionId: null,
  isBusinessCustomer: false,
  externalCustomerId: null,
  customerIpAddress: null,
  customerBillingName: null,
  customerBillingAddress: null,
  customerTaxId: null,
  customerMetadata: {},
} as const

export const openCheckoutLink = command(contract, async (request, context) => {
  const { em, read, sql, bindOrganization } = context
  const found = { clientSecret: request.client_secret, deletedAt: null }
  const link = await em.findOneOrFail(CheckoutLink, found, { filters: { organization: false } })
  const { organizationId } = link
  bindOrganization(organizationId)
  await assertMayOpen(organizationId, context)
  const product = await chooseProduct(link, { request, context })
  const { embed_origins: origins } = await requireOrganization(sql, organizationId)
  const { id } = await startCheckout(context, {
    ...unknownBuyer,
    product,
    productIds: link.productIds,
    chosenAmount: request.amount ? BigInt(request.amount) : null,
    discount: await chooseDiscount(link, { request, product, context }),
    successUrl: link.successUrl ?? null,
    embedOrigin: request.embed_origin && origins.includes(request.embed_origin) ? request.embed_origin : null,
    allowTrial: true,
    allowDiscountCodes: link.allowDiscountCodes,
    requireBillingAddress: link.requireBillingAddress,
    metadata: link.metadata,
    customerName: request.customer_name || null,
    customerEmail: request.customer_email ?? null,
  })
  await recordVisit({ organizationId, checkoutId: id }, context)
  return read.one(checkoutPublicView, { where: 'ch.id = :id', values: { id } })
})

/** An archived product is not offered; the others of the link are. */
async function chooseProduct(
  { productIds }: CheckoutLink,
  { request, context: { em } }: { request: Request; context: CommandContext },
): Promise<Product> {
  const available = await em.find(Product, { id: { $in: productIds }, isArchived: false }, { populate: ['prices'] })
  if (available.length === 0) throw new ResourceUnavailable('No product of this link is for sale any more.')
  const wanted = request.product_id ?? productIds.find((id) => available.some((product) => product.id === id))
  const product = available.find(({ id }) => id === wanted)
  if (!product) throw RequestValidationError.field(['product_id'], 'Product is not offered by this link.')
  return product
}

/** The code of the address wins. A discount of the link that cannot be used any more is ignored, a code is rejected. */
async function chooseDiscount(
  { organizationId, discountId, allowDiscountCodes }: CheckoutLink,
  { request, product, context }: { request: Request; product: Product; context: CommandContext },
): Promise<Discount | null> {
  const { em, now } = context
  const use = { productId: product.id, currency: product.currentPrice().priceCurrency ?? 'usd', now }
  if (request.discount_code && allowDiscountCodes) {
    const named = await findDiscountByCode(context, { checkout: { organizationId }, code: request.discount_code })
    if (!named.isRedeemable(use)) throw createUnusableDiscountError('discount_code')
    return named
  }
  const own = discountId ? await em.findOne(Discount, { id: discountId }) : null
  return own?.isRedeemable(use) ? own : null
}

/** Checkouts that one network creates from the links of a seller in a minute. */
const maxVisits = 10

const findLimit = `
  select ceil(extract(epoch from created_at + interval '1 minute' - now()))::int as retry_after
  from checkout_link_visits
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and network = :network
    and created_at > now() - interval '1 minute'
  order by created_at desc offset ${maxVisits - 1} limit 1`

async function assertMayOpen(organizationId: string, context: CommandContext): Promise<void> {
  const network = callerNetwork(context.caller)
  if (network === null) return
  await context.lockNames([`checkout links ${organizationId} ${network}`])
  const [limit] = await context.sql<{ retry_after: number }>('checkout-link-visit.find-limit', findLimit, {
    organization_id: organizationId,
    network,
  })
  if (limit) throw new TooManyRequests('Too many checkouts were opened from this network. Try again later.', Math.max(1, limit.retry_after))
}

const insert = `
  insert into checkout_link_visits (checkout_id, organization_id, network)
  select :checkout_id::uuid, :organization_id::uuid, :network::text where :organization_id::uuid = any (:scope_organizations)`

async function recordVisit(
  { organizationId, checkoutId }: { organizationId: string; checkoutId: string },
  context: CommandContext,
): Promise<void> {
  const network = callerNetwork(context.caller)
  if (network === null) return
  await context.sql('checkout-link-visit.insert', insert, { checkout_id: checkoutId, organization_id: organizationId, network })
}

const batch = 1_000

const sweep = `
  delete from checkout_link_visits where checkout_id = any(array(
    select checkout_id from checkout_link_visits where created_at < now() - interval '1 minute' order by created_at limit ${batch}
    for update skip locked))
  returning 1`

/** Deletes networks a minute after their visit. */
export const sweepCheckoutLinkVisits = job({
  name: 'sweep-checkout-link-visits',
  everyMs: 60_000,
  run: async ({ systemSql }) => (await systemSql('checkout-link-visits.sweep', sweep)).length === batch,
})
