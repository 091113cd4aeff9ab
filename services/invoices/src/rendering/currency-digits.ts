/**
 * Digits after the decimal point by ISO 4217. `Intl` is no source for them: it prints what is customary in shops and so drops
 * the minor unit of fifteen currencies (HUF, IDR, COP, …) whose amounts have one.
 */
const exceptions: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const digitsByCurrency = new Map(
  Object.entries(exceptions).flatMap(([digits, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Number(digits)] as const),
  ),
)

export function currencyDigits(currency: string): number {
  return digitsByCurrency.get(currency.toUpperCase()) ?? 2
}
