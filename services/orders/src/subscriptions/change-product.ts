import { Discount } from '../discounts/discount.ts'
import { Order } from '../orders/order.ts'
import { discountOn } from '../orders/order-amounts.ts'
import { placeOrder } from '../orders/place-order.ts'
import type { Product } from '../products/product.ts'
import { billOfPeriod } from './bill-of-period.ts'
import { billOfProrations } from './bill-of-prorations.ts'
import { chooseRecurringProduct } from './choose-recurring-product.ts'
import { discountReaches } from './discount-reach.ts'
import { moveBenefits } from './move-benefits.ts'
import { Proration } from './proration.ts'
import { collect, type Renewal } from './renew.ts'
import { restOfPeriod } from './rest-of-period.ts'
import { updatePending, type Subscription } from './subscription.ts'
import type { RecurringInterval } from './subscription-period.ts'

interface ProductChange extends Renewal {
  productId: string
  /** `invoice` bills the difference now, `prorate` with the next order. */
  behavior: 'invoice' | 'prorate'
}

/** Another product from now on. Of the same interval, the rest of the period is made up for; of another, a new period begins now. */
export async function changeProduct(subscription: Subscription, change: ProductChange): Promise<void> {
  const { context, clock } = change
  const { em } = context
  subscription.refuseUnlessChangeable()
  if ((await em.count(Order, { subscriptionId: subscription.id, status: 'pending' })) > 0) throw updatePending()
  const product = await chooseRecurringProduct(subscription, { productId: change.productId, em })
  const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd, at: clock.now }
  keepProration(subscription, {
    context,
    label: 'Unused time of the product before',
    amount: -restOfPeriod(subscription.periodAmount, period),
    productPriceId: subscription.productPriceId,
  })
  const price = product.currentPrice()
  subscription.takePrice(price)
  await dropDiscountOfOthers(subscription, { product, change })
  await moveBenefits(subscription, context)
  if (product.recurringInterval !== subscription.recurringInterval) {
    subscription.restart(product.recurringInterval as RecurringInterval, clock)
    await em.flush()
    const { sale, settle } = await billOfPeriod(subscription, context)
    const order = await placeOrder(context, { ...sale, billingReason: 'subscription_update' })
    settle(order.id)
    return collect(order, { subscription, ...change })
  }
  await takeAmount(subscription, change)
  const label = `Remaining time of ${product.name}`
  keepProration(subscription, {
    context,
    label,
    amount: restOfPeriod(subscription.periodAmount, period),
    productPriceId: price.id,
  })
  await em.flush()
  const bill = change.behavior === 'invoice' ? await billOfProrations(subscription, context) : null
  if (!bill) return
  const order = await placeOrder(context, bill.sale)
  bill.settle(order.id)
  await collect(order, { subscription, ...change })
}

interface Difference {
  context: Renewal['context']
  label: string
  amount: bigint
  productPriceId: string
}

function keepProration({ id, organizationId }: Subscription, { context, ...difference }: Difference): void {
  if (difference.amount === 0n) return
  context.em.create(Proration, { ...difference, organizationId, subscriptionId: id, orderId: null })
}

/** A discount that is not for the new product ends with the old one. */
async function dropDiscountOfOthers(
  subscription: Subscription,
  { product, change }: { product: Product; change: ProductChange },
): Promise<void> {
  const discount = subscription.discountId ? await change.context.em.findOneOrFail(Discount, subscription.discountId) : null
  if (!discount || discount.productIds.length === 0 || discount.productIds.includes(product.id)) return
  subscription.discountId = null
  subscription.discountFrom = null
}

/** What a period costs from here on, and what this one would have cost. */
async function takeAmount(subscription: Subscription, { context }: ProductChange): Promise<void> {
  const { discountId, discountFrom, currentPeriodStart, priceAmount: whole } = subscription
  const discount = discountId ? await context.em.findOneOrFail(Discount, discountId) : null
  const net = whole - discountOn(whole, discount?.rule() ?? null)
  const term = discount && { duration: discount.duration, durationInMonths: discount.durationInMonths }
  subscription.amount = net
  subscription.periodAmount = term && discountFrom && discountReaches(currentPeriodStart, { ...term, from: discountFrom }) ? net : whole
}
