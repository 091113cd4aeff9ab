import type { Transaction } from '@quittance/runtime/handler'
import type { OrderDraft } from '../orders/place-order.ts'
import { loadSubscriptionBuyer } from './subscription-buyer.ts'
import type { Subscription } from './subscription.ts'
import type { TaxBehavior } from '../pricing/tax-amounts.ts'
import { Proration, pendingProrations } from './prorations.ts'
import { orderAmounts, type PricedLine } from '../pricing/order-amounts.ts'
import { ProductPrice } from '../catalog/products/product.ts'
import { configuredRates } from '../catalog/taxes/tax-calculator.ts'

/** Fields of every order of a subscription: buyer details, and the billing name of the last order. */
export type SubscriptionOrderDraft = Omit<
  OrderDraft,
  'billingReason' | 'taxBehavior' | 'amounts' | 'lines' | 'discountId' | 'periodStart' | 'periodEnd'
>

export async function buildSubscriptionOrderDraft(
  subscription: Subscription,
  { em }: Pick<Transaction, 'em'>,
): Promise<SubscriptionOrderDraft> {
  const { id, organizationId, customerId, productId, currency, metadata } = subscription
  const buyer = await loadSubscriptionBuyer(subscription, em)
  return {
    organizationId,
    currency,
    billingName: buyer.name,
    billingAddress: buyer.address,
    taxId: buyer.taxId?.[0] ?? null,
    customerId,
    productId,
    subscriptionId: id,
    checkoutId: null,
    metadata,
  }
}

/** Returns the tax behavior of the price and, if that is free, of pending prorations; null if there are none. */
export async function findTaxBehavior(
  { id, productPriceId }: Pick<Subscription, 'id' | 'productPriceId'>,
  em: Transaction['em'],
): Promise<TaxBehavior | null> {
  const { amountType, taxBehavior } = await em.findOneOrFail(ProductPrice, productPriceId)
  if (amountType !== 'free') return taxBehavior
  const pending = await em.find(Proration, pendingProrations(id), { orderBy: { createdAt: 'desc' }, limit: 2 })
  const priceIds = pending.flatMap((proration) => proration.productPriceId ?? [])
  const charged = await em.findOne(ProductPrice, { id: { $in: priceIds }, amountType: { $ne: 'free' } })
  return charged?.taxBehavior ?? null
}

/** Returns whether the tax of a purchase by the subscriber can be determined, as before a sale: no rates are configured, or the address is enough for them. */
export async function isTaxKnown(
  subscription: Subscription,
  { productId, context }: { productId: string; context: Pick<Transaction, 'em' | 'sql'> },
): Promise<boolean> {
  const { organizationId } = subscription
  const { address, taxId } = await loadSubscriptionBuyer(subscription, context.em)
  const sale = { organizationId, address, taxId, lines: [{ productId, amount: 0n }], needsState: true }
  return (await configuredRates.ratesFor(sale, context)) !== null
}

interface Billed {
  context: Pick<Transaction, 'em' | 'sql'>
  /** At advertised prices. */
  lines: readonly Omit<PricedLine, 'rate'>[]
  /** Total for the lines it applies to; zero for none. */
  discount: bigint
}

/** Computes the amounts of a subscription order with the tax at the buyer's location. If that is unknown, no tax is charged. */
export async function computeSubscriptionAmounts(
  subscription: Subscription,
  { context, lines, discount }: Billed,
): Promise<Pick<OrderDraft, 'amounts' | 'taxBehavior'>> {
  const { em } = context
  const { organizationId, productId } = subscription
  const { address, taxId } = await loadSubscriptionBuyer(subscription, em)
  const taxBehavior = (await findTaxBehavior(subscription, em)) ?? 'exclusive'
  const taxed = {
    organizationId,
    address,
    taxId,
    lines: lines.map(({ amount }) => ({ productId, amount })),
  }
  const rates = await configuredRates.ratesFor(taxed, context)
  const priced = lines.map(({ amount, isDiscountable = true }, position) => ({
    amount,
    isDiscountable,
    rate: rates?.[position] ?? null,
  }))
  return { taxBehavior, amounts: orderAmounts({ lines: priced, discount: { type: 'fixed', amount: discount }, taxBehavior }) }
}
