import { expect, test } from 'vitest'
import { chooseLocale } from './locale.ts'

test('prefers the chosen language, then the accepted ones in their order, then English', () => {
  expect(chooseLocale({ chosen: 'de', accepted: 'fr' })).toMatchObject({ language: 'de', locale: 'de' })
  expect(chooseLocale({ accepted: 'sv;q=1, fr-CA;q=0.5, de;q=0.9' })).toMatchObject({ language: 'de' })
  expect(chooseLocale({ accepted: 'fr-CA, de;q=0.9' })).toEqual({ language: 'fr', locale: 'fr-CA', dir: 'ltr', region: 'CA' })
  expect(chooseLocale({ chosen: 'xx', accepted: 'sv' })).toMatchObject({ language: 'en', locale: 'en', region: null })
  expect(chooseLocale({ chosen: 'de', accepted: 'de-AT' })).toMatchObject({ locale: 'de-AT', region: 'AT' })
  // The region still preselects the country, while numbers are those of the chosen language.
  expect(chooseLocale({ chosen: 'en', accepted: 'de-DE' })).toMatchObject({ locale: 'en', region: 'DE' })
})

test('distinguishes the two forms of Chinese by script and region, and knows which languages read from the right', () => {
  expect(chooseLocale({ chosen: 'zh-TW' }).language).toBe('zh-Hant')
  expect(chooseLocale({ chosen: 'zh-Hant-HK' }).language).toBe('zh-Hant')
  expect(chooseLocale({ chosen: 'zh-CN' }).language).toBe('zh')
  expect(chooseLocale({ chosen: 'iw' })).toMatchObject({ language: 'he', dir: 'rtl' })
  expect(chooseLocale({ chosen: 'ar' }).dir).toBe('rtl')
})

test.each(['__proto__', 'constructor', '', '*', 'de-', '-', 'en-XX-'.repeat(50)])('survives the language tag %s', (tag) => {
  const { locale } = chooseLocale({ chosen: tag, accepted: tag })
  expect(() => new Intl.NumberFormat(locale)).not.toThrow()
})
