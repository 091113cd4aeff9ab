import { expect, test } from 'vitest'
import { taxIdOf } from './tax-id.ts'

test.each([
  ['PL 526-000-12-46', 'PL', ['PL5260001246', 'eu_vat']],
  ['5260001246', 'PL', ['PL5260001246', 'eu_vat']],
  ['094019245', 'GR', ['EL094019245', 'eu_vat']],
  ['X1234567L', 'ES', ['ESX1234567L', 'eu_vat']],
  ['12-3456789', 'US', ['123456789', 'us_ein']],
  ['GB 123 4567 82', 'GB', ['GB123456782', 'gb_vat']],
])('%s of %s is kept in the format of the country', (number, country, kept) => {
  expect(taxIdOf(number, country)).toEqual(kept)
})

test.each([
  ['5260001246', null, 'billing address'],
  ['DE123456789', 'PL', 'another country'],
  ['12345', 'AQ', 'not known'],
  ['№ 12345', 'US', 'letters and digits'],
  ['123', 'US', 'letters and digits'],
])('%s of %s is refused', (number, country, reason) => {
  expect(() => taxIdOf(number, country)).toThrow(reason)
})
