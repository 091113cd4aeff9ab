import { z } from 'zod'

/** An integer amount in minor units of `currency`: cents for usd, yen for jpy, fils for kwd. */
export const Amount = z.int()

/** Minimum amount of a price with one, in minor units of any currency. */
export const minPriceAmount = 50

/** Maximum amount of a price in minor units; the maximum for usd is the one known to clients of the original contract. */
export const maxAmount = 999_999_999_999
export const maxUsdAmount = 99_999_999

/** Active currencies of ISO 4217 without metals, funds and test codes, by digits after the decimal point. */
const codes: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP
    CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
    LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR
    RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES
    WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const digitsByCurrency = new Map(
  Object.entries(codes).flatMap(([digits, list]) => list.split(/\s+/).map((code) => [code.toLowerCase(), Number(digits)] as const)),
)

/**
 * Returns the digits after the decimal point according to ISO 4217, for codes in any case. `Intl` is not used: it follows retail custom and
 * omits the minor unit of fifteen currencies (HUF, IDR, COP, …) that have one.
 */
export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency.toLowerCase()) ?? 2
}

/**
 * Returns minor units as a decimal number in text, with the digits of the currency: -1234 of `usd` is `-12.34`. Exact for every integer,
 * unlike a division; `Intl` formats such a text exactly too.
 */
export function toDecimal(amount: number | bigint, currency: string): Intl.StringNumericLiteral {
  const digits = currencyDigits(currency)
  const figures = String(amount)
    .replace('-', '')
    .padStart(digits + 1, '0')
  const point = figures.length - digits
  return `${amount < 0 ? '-' : ''}${figures.slice(0, point)}${digits ? '.' : ''}${figures.slice(point)}` as Intl.StringNumericLiteral
}

/** Lower-case ISO 4217 code. */
export const Currency = z.string().regex(/^[a-z]{3}$/, 'Must be a lower-case ISO 4217 code.')

/** Currency as sent by a seller: only existing currencies. */
export const CurrencyInput = z.enum([...digitsByCurrency.keys()], 'Must be a lower-case ISO 4217 code.').meta({ id: 'CurrencyInput' })
