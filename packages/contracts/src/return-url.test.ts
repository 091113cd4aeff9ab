import { expect, test } from 'vitest'
import { PageSettings } from './organizations.ts'
import { isAllowedReturnUrl } from './return-url.ts'

const origins = ['https://shop.example', 'http://localhost:3000']

test('an address is allowed by its exact origin only [pages 76]', () => {
  for (const address of ['https://shop.example', 'https://shop.example:443/account?a=b#c', 'http://localhost:3000/x']) {
    expect({ address, isAllowed: isAllowedReturnUrl(address, origins) }).toEqual({ address, isAllowed: true })
  }
  for (const address of [
    'http://shop.example/',
    'https://shop.example:8443/',
    'https://shop.example.evil.example/',
    'https://www.shop.example/',
    'https://shop.example@evil.example/',
    'https://ada:secret@shop.example/',
    'https:evil.example',
    '//shop.example/',
    '/account',
    'javascript:alert(1)//https://shop.example',
    'null',
    '',
  ]) {
    expect({ address, isAllowed: isAllowedReturnUrl(address, origins) }).toEqual({ address, isAllowed: false })
  }
})

test('an origin that is listed has a scheme of the web, and no path', () => {
  const accepts = (origin: string) => PageSettings.shape.return_origins.safeParse([origin]).success
  for (const origin of origins) expect({ origin, accepted: accepts(origin) }).toEqual({ origin, accepted: true })
  for (const origin of [
    'https://shop.example/',
    'https://shop.example/a',
    'shop.example',
    '*',
    'null',
    'ftp://shop.example',
    'https://*',
  ]) {
    expect({ origin, accepted: accepts(origin) }).toEqual({ origin, accepted: false })
  }
})
