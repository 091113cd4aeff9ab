import { languages, type Language } from '@quittance/pages/locale'
import { expect, test } from 'vitest'
import { wordsIn } from './all-words.ts'

const others = (Object.keys(languages) as Language[]).filter((language) => language !== 'en')

/** Every text by its place; functions are called with marks, so that a mark that is lost is found. */
function listTexts(words: object): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [group, entries] of Object.entries(words)) {
    if (typeof entries !== 'object' || entries === null) continue
    for (const [key, value] of Object.entries(entries as Record<string, unknown>)) {
      const text = typeof value === 'function' ? (value as (...marks: string[]) => string)('<1>', '<2>', '<3>') : value
      texts.set(`${group}.${key}`, String(text))
    }
  }
  return texts
}

const marksIn = (text: string) => (text.match(/<\d>/g) ?? []).toSorted()

test.each(others)('%s has its own words for every sentence, with the same values in them [pages 115]', (language) => {
  const english = listTexts(wordsIn('en'))
  const translated = listTexts(wordsIn(language))
  expect([...translated.keys()]).toEqual([...english.keys()])
  for (const [place, text] of translated) {
    expect({ place, marks: marksIn(text) }).toEqual({ place, marks: marksIn(english.get(place) as string) })
    expect({ place, isEmpty: text.trim() === '' }).toEqual({ place, isEmpty: false })
  }
  const same = [...translated].filter(([place, text]) => text === english.get(place) && /\s/.test(text.replaceAll(/<\d>/g, '').trim()))
  expect(same).toEqual([])
})

test('the order buttons have the words that the directive names [pages 30]', () => {
  const buttons = {
    en: 'Order with obligation to pay',
    de: 'Zahlungspflichtig bestellen',
    fr: 'Commande avec obligation de paiement',
    es: 'Pedido con obligación de pago',
    it: 'Ordine con obbligo di pagare',
    nl: 'Bestelling met betalingsverplichting',
    pt: 'Encomenda com obrigação de pagar',
  } as const
  for (const [language, words] of Object.entries(buttons)) expect(wordsIn(language as Language).checkout.orderEea).toBe(words)
})

test('no text has an exclamation mark', () => {
  for (const language of Object.keys(languages) as Language[]) {
    expect([...listTexts(wordsIn(language))].filter(([, text]) => /[!！¡]/.test(text))).toEqual([])
  }
})
