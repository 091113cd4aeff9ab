import { createLogger } from '@quittance/runtime/logger'
import { getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../src/rendering/browser.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import { aPrintedDocument } from './printed-documents.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

interface Drawn {
  /** Glyphs as named by the font: a joined character has its joined form. */
  glyphs: string
  left: number
  right: number
}

/** Returns the glyphs drawn in the line of this text, from right to left. */
async function extractLine(pdf: Uint8Array, text: string): Promise<Drawn[]> {
  const page = await (await getDocumentProxy(pdf)).getPage(1)
  const { items } = await page.getTextContent({ disableNormalization: true })
  const drawn = items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return []
    const [left, height] = [item.transform[4] as number, item.transform[5] as number]
    return [{ glyphs: item.str, height, left, right: left + item.width }]
  })
  const height = drawn.find(({ glyphs }) => glyphs === text)?.height ?? Number.NaN
  return drawn.filter((one) => Math.abs(one.height - height) < 1).toSorted((one, other) => other.left - one.left)
}

const seller = 'Northwind Analytics GmbH'
const buyer = (name: string) => ({ ...aPrintedDocument().buyer, name })

test.each([
  ['ar', [seller, 'ﻣ', 'ﺤ', 'ﻤ', 'ﻮ', 'د', '2024', 'ﺳ', 'ﺎ', 'ﻟ', 'ﻢ']],
  ['en', ['ﻣ', 'ﺤ', 'ﻤ', 'ﻮ', 'د', '2024', 'ﺳ', 'ﺎ', 'ﻟ', 'ﻢ', seller]],
])('joins Arabic from right to left in a %s document and keeps the order of numbers [81]', async (locale, line) => {
  const { pdf } = await printDocument(browser, {
    owner: 'test',
    document: aPrintedDocument({ locale, buyer: buyer('محمود 2024 سالم') }),
    log,
  })
  const drawn = await extractLine(pdf, '2024')
  expect(drawn.map(({ glyphs }) => glyphs)).toEqual(line)
  const joined = drawn.slice(line.indexOf('ﻣ'), line.indexOf('ﻮ') + 1)
  joined.slice(1).forEach(({ right }, index) => expect(right).toBeCloseTo(joined[index]?.left ?? 0, 0))
})

test.each([
  ['he', [seller, 'חברת', '2024', 'האור']],
  ['en', ['חברת', '2024', 'האור', seller]],
])('prints Hebrew from right to left in a %s document and keeps the order of numbers [81]', async (locale, line) => {
  const { pdf } = await printDocument(browser, {
    owner: 'test',
    document: aPrintedDocument({ locale, buyer: buyer('חברת 2024 האור') }),
    log,
  })
  expect((await extractLine(pdf, '2024')).map(({ glyphs }) => glyphs)).toEqual(line)
})
