import { z } from 'zod'
import { Id, timestamps } from './identifiers.ts'
import { Amount, Currency, CurrencyInput, maxAmount, maxUsdAmount, minPriceAmount } from './money.ts'
import { TaxBehavior } from './taxes.ts'

export const RecurringInterval = z.enum(['month', 'year']).meta({ id: 'RecurringInterval' })

const priceFields = {
  id: Id,
  ...timestamps,
  is_archived: z.boolean(),
  source: z.literal('catalog'),
  product_id: Id,
  type: z.enum(['one_time', 'recurring']).meta({ deprecated: true, description: 'Deprecated; derived from the product.' }),
  recurring_interval: RecurringInterval.nullable().meta({ deprecated: true, description: 'Deprecated; derived from the product.' }),
}

export const ProductPriceFixed = z
  .object({
    ...priceFields,
    amount_type: z.literal('fixed'),
    price_currency: Currency,
    price_amount: Amount,
    tax_behavior: TaxBehavior,
  })
  .meta({ id: 'ProductPriceFixed' })
/** The buyer chooses the amount within the limits; the preset is the initial value. */
export const ProductPriceCustom = z
  .object({
    ...priceFields,
    amount_type: z.literal('custom'),
    price_currency: Currency,
    minimum_amount: Amount.nullable().meta({ description: `The least that a buyer can choose: ${minPriceAmount} if the seller set none.` }),
    maximum_amount: Amount.nullable(),
    preset_amount: Amount.nullable(),
    tax_behavior: TaxBehavior,
  })
  .meta({ id: 'ProductPriceCustom' })
export const ProductPriceFree = z.object({ ...priceFields, amount_type: z.literal('free') }).meta({ id: 'ProductPriceFree' })

/** A price of a product. */
export const ProductPrice = z
  .discriminatedUnion('amount_type', [ProductPriceFixed, ProductPriceCustom, ProductPriceFree])
  .meta({ id: 'ProductPrice' })

const priced = { price_currency: CurrencyInput.default('usd'), tax_behavior: TaxBehavior.default('exclusive') }
const priceAmount = z.int().min(minPriceAmount).max(maxAmount)
/** Highest maximum and preset of a custom price in usd, in minor units. */
const maxUsdPreset = 1_000_000

interface NamedAmounts {
  price_currency: string
  [key: string]: unknown
}

/** Limits amounts in usd to what clients know; other currencies may need more digits. */
function limitUsdAmounts(limits: Readonly<Record<string, number>>) {
  return (price: NamedAmounts, ctx: z.RefinementCtx) => {
    for (const [key, limit] of Object.entries(limits)) {
      if (price.price_currency !== 'usd' || Number(price[key] ?? 0) <= limit) continue
      ctx.addIssue({ code: 'custom', path: [key], message: `At most ${limit} in usd.` })
    }
  }
}

const fixedPrice = z
  .object({ amount_type: z.literal('fixed'), price_amount: priceAmount, ...priced })
  .superRefine(limitUsdAmounts({ price_amount: maxUsdAmount }))

const customPrice = z
  .object({
    amount_type: z.literal('custom'),
    minimum_amount: priceAmount.nullish(),
    maximum_amount: priceAmount.nullish(),
    preset_amount: priceAmount.nullish(),
    ...priced,
  })
  .superRefine(limitUsdAmounts({ minimum_amount: maxUsdAmount, maximum_amount: maxUsdPreset, preset_amount: maxUsdPreset }))
  .superRefine(({ minimum_amount, maximum_amount, preset_amount }, ctx) => {
    const minimum = minimum_amount ?? 0
    const maximum = maximum_amount ?? maxAmount
    if (minimum > maximum) ctx.addIssue({ code: 'custom', path: ['maximum_amount'], message: 'Must not be below minimum_amount.' })
    if (preset_amount && (preset_amount < minimum || preset_amount > maximum)) {
      ctx.addIssue({ code: 'custom', path: ['preset_amount'], message: 'Must be between minimum_amount and maximum_amount.' })
    }
  })

/** Prices in a request, by `amount_type`. */
export const newPrices = [fixedPrice, customPrice, z.object({ amount_type: z.literal('free') })] as const

export const onePriceMessage = 'Must contain exactly one fixed, custom or free price.'
