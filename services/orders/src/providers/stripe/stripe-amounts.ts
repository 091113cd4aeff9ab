import type { Money } from '../provider.ts'

/** Currencies that Stripe charges, beside those that differ from ISO 4217. */
const ordinary = new Set(
  `aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny cop crc cve czk djf dkk dop
  dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr jmd jpy kes kgs khr kmf krw kyd kzt lak lbp lkr lrd lsl mad
  mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp
  sle sos srd szl thb tjs top try ttd twd tzs uah usd uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw`.split(/\s+/),
)

interface Difference {
  /** Stripe's units per minor unit, or minor units per unit of Stripe. */
  multiply?: bigint
  divide?: bigint
  /** The amount must be a multiple of this. */
  step?: bigint
}

/**
 * Currencies whose unit at Stripe is not the minor unit of ISO 4217: two decimals where ISO has none, none where ISO has two, and three decimals
 * of which the last must be 0.
 */
const different: Readonly<Record<string, Difference>> = {
  isk: { multiply: 100n },
  ugx: { multiply: 100n },
  mga: { divide: 100n },
  bhd: { step: 10n },
  jod: { step: 10n },
  kwd: { step: 10n },
  omr: { step: 10n },
  tnd: { step: 10n },
}

/** Documented minimum charges, in minor units of ISO 4217. Other minimums depend on the account; Stripe then rejects the charge. */
const minimums: Readonly<Record<string, bigint>> = {
  usd: 50n,
  aed: 200n,
  aud: 50n,
  bgn: 100n,
  brl: 50n,
  cad: 50n,
  chf: 50n,
  czk: 1500n,
  dkk: 250n,
  eur: 50n,
  gbp: 30n,
  hkd: 400n,
  huf: 17500n,
  inr: 50n,
  jpy: 50n,
  mxn: 1000n,
  myr: 200n,
  nok: 300n,
  nzd: 50n,
  pln: 200n,
  ron: 200n,
  sek: 300n,
  sgd: 50n,
  thb: 1000n,
}

/** Stripe takes eight digits, of rupiahs twelve. */
const maxStripeAmount = 99_999_999n
const maxStripeRupiahs = 999_999_999_999n

function isCharged(currency: string): boolean {
  return ordinary.has(currency) || currency in different
}

function maxAmountAtStripe(currency: string): bigint {
  return currency === 'idr' ? maxStripeRupiahs : maxStripeAmount
}

/** Converts to the integer that Stripe expects; null if the currency is not charged or the amount cannot be expressed. */
export function toStripeAmount({ amount, currency }: Money): number | null {
  if (!isCharged(currency) || amount <= 0n) return null
  const { multiply = 1n, divide = 1n, step = 1n } = different[currency] ?? {}
  if (amount % step !== 0n || amount % divide !== 0n) return null
  const converted = (amount * multiply) / divide
  return converted <= maxAmountAtStripe(currency) ? Number(converted) : null
}

/** Converts an integer of Stripe; null if it is no amount in minor units of ISO 4217, so that it equals no amount of a row. */
export function fromStripeAmount(amount: number, currency: string): Money | null {
  if (!Number.isSafeInteger(amount) || amount < 0 || !/^[a-z]{3}$/.test(currency)) return null
  const { multiply = 1n, divide = 1n } = different[currency] ?? {}
  const value = BigInt(amount)
  return value % multiply === 0n ? { amount: (value / multiply) * divide, currency } : null
}

/** Returns the smallest and largest amount in minor units of ISO 4217; null if Stripe does not charge the currency. */
export function stripeLimits(currency: string): { least: bigint; most: bigint } | null {
  if (!isCharged(currency)) return null
  const { multiply = 1n, divide = 1n, step = 1n } = different[currency] ?? {}
  const most = (maxAmountAtStripe(currency) * divide) / multiply
  const least = minimums[currency] ?? (step > divide ? step : divide)
  return { least, most: most - (most % step) }
}

/** Whether Stripe charges an amount. Other minimums than the documented ones depend on the account: then Stripe rejects it. */
export function isChargedByStripe(money: Money): boolean {
  const limits = stripeLimits(money.currency)
  return limits !== null && money.amount >= limits.least && money.amount <= limits.most && toStripeAmount(money) !== null
}
