import { expect, test } from 'vitest'
import { addressLines, countryNames } from './address-lines.ts'

const empty = { line1: null, line2: null, postal_code: null, city: null, state: null }

test('prints town, state and postal code of a US address in one line [30]', () => {
  const address = { ...empty, line1: '1 Main St', line2: 'Apt 4', postal_code: '78701', city: 'Austin', state: 'US-TX', country: 'US' }
  expect(addressLines(address, countryNames('en'))).toEqual(['1 Main St', 'Apt 4', 'Austin, Texas 78701', 'United States'])
})

test('prints the postal code of a German address before the town [30]', () => {
  const address = { ...empty, line1: 'Torstraße 1', postal_code: '10119', city: 'Berlin', country: 'DE' }
  expect(addressLines(address, countryNames('en'))).toEqual(['Torstraße 1', '10119 Berlin', 'Germany'])
})

test('prints neither an empty line nor a stray comma for missing parts [30]', () => {
  expect(addressLines({ ...empty, country: 'AE' }, countryNames('en'))).toEqual(['United Arab Emirates'])
  expect(addressLines({ ...empty, city: 'Hong Kong', country: 'HK' }, countryNames('en'))).toEqual(['Hong Kong', 'Hong Kong SAR China'])
  expect(addressLines({ ...empty, state: 'CA-QC', country: 'CA' }, countryNames('en'))).toEqual(['Quebec', 'Canada'])
})

test('prints an unknown country code unchanged', () => {
  expect(addressLines({ ...empty, country: '1!' }, countryNames('en'))).toEqual(['1!'])
})

test('prints a British postal code on a separate line', () => {
  const address = { ...empty, line1: '12 St James’s Square', postal_code: 'SW1Y 4JH', city: 'London', country: 'GB' }
  expect(addressLines(address, countryNames('en'))).toEqual(['12 St James’s Square', 'London', 'SW1Y 4JH', 'United Kingdom'])
})

test('starts a Japanese address with the postal code and orders it from region to street [30]', () => {
  const address = {
    ...empty,
    line1: '丸の内1-1-1',
    line2: '丸の内ビル',
    postal_code: '100-0005',
    city: '千代田区',
    state: '東京都',
    country: 'JP',
  }
  expect(addressLines(address, countryNames('ja'))).toEqual(['〒100-0005', '東京都千代田区', '丸の内1-1-1', '丸の内ビル', '日本'])
  const latin = { ...empty, line1: '1-1-1 Marunouchi', postal_code: '〒100-0005', city: 'Chiyoda-ku', state: 'Tokyo', country: 'JP' }
  expect(addressLines(latin, countryNames('en'))).toEqual(['〒100-0005', '1-1-1 Marunouchi', 'Chiyoda-ku, Tokyo', 'Japan'])
})

test('orders Chinese and Korean addresses from region to street only in their own script', () => {
  const seoul = { ...empty, line1: '세종대로 110', postal_code: '04524', city: '중구', state: '서울특별시', country: 'KR' }
  expect(addressLines(seoul, countryNames('ko'))).toEqual(['서울특별시 중구', '세종대로 110', '04524', '대한민국'])
  const taipei = { ...empty, line1: '市府路1號', postal_code: '110204', city: '信義區', state: '臺北市', country: 'TW' }
  expect(addressLines(taipei, countryNames('en'))).toEqual(['110204', '臺北市信義區', '市府路1號', 'Taiwan'])
  const latin = { ...empty, line1: '1 City Hall Rd', postal_code: '110204', city: 'Taipei', country: 'TW' }
  expect(addressLines(latin, countryNames('en'))).toEqual(['1 City Hall Rd', 'Taipei, 110204', 'Taiwan'])
})
