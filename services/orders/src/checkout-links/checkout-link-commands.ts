import {
  createCheckoutLink as createContract,
  deleteCheckoutLink as deleteContract,
  updateCheckoutLink as updateContract,
} from '@quittance/contracts/checkout-links'
import { RequestValidationError } from '@quittance/contracts/errors'
import { mintToken } from '@quittance/runtime/credential'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { findOfferedProducts, nameProducts } from '../checkouts/offered-products.ts'
import { requireOrganization } from '../organizations/organization.ts'
import { CheckoutLink } from './checkout-link.ts'
import { checkoutLinkView } from './checkout-link-view.ts'

export const createCheckoutLink = command(createContract, async (request, context) => {
  const { em, read, sql } = context
  const named = await nameProducts(request, context)
  const [product] = await findOfferedProducts(context, named)
  const { organizationId } = product
  await requireOrganization(sql, organizationId)
  await assertDiscount(context, { id: request.discount_id, organizationId })
  const link = em.create(CheckoutLink, {
    organizationId,
    clientSecret: mintToken('qt_cl_'),
    productIds: [...new Set(named.ids)],
    discountId: request.discount_id ?? null,
    label: request.label || null,
    successUrl: request.success_url ?? null,
    allowDiscountCodes: request.allow_discount_codes,
    requireBillingAddress: request.require_billing_address,
    metadata: request.metadata,
    deletedAt: null,
  })
  await em.flush()
  return read.one(checkoutLinkView, { where: 'cl.id = :id', values: { id: link.id } })
})

async function assertDiscount(
  { em }: CommandContext,
  { id, organizationId }: { id: string | null | undefined; organizationId: string },
): Promise<void> {
  if (!id || (await em.findOne(Discount, { id, organizationId, deletedAt: null }))) return
  throw RequestValidationError.field(['discount_id'], 'Discount does not exist.')
}

export const updateCheckoutLink = command(updateContract, async ({ id, ...change }, context) => {
  const { em, read } = context
  const link = await em.findOneOrFail(CheckoutLink, { id, deletedAt: null })
  const { organizationId } = link
  if (change.products) await findOfferedProducts(context, { field: 'products', ids: change.products, organizationId })
  await assertDiscount(context, { id: change.discount_id, organizationId })
  link.change(change)
  return read.one(checkoutLinkView, { where: 'cl.id = :id', values: { id } })
})

export const deleteCheckoutLink = command(deleteContract, async ({ id }, { em, now }) => {
  const link = await em.findOneOrFail(CheckoutLink, { id, deletedAt: null })
  link.deletedAt = now
  return null
})
