import { decodePDFRawStream, PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName, PDFNumber, type PDFRawStream } from '@cantoo/pdf-lib'
import { createLogger } from '@quittance/runtime/logger'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { facturX } from '../src/electronic/factur-x.ts'
import { createBrowser } from '../src/rendering/browser.ts'
import type { DocumentModel } from '../src/rendering/document-model.ts'
import { documentPage } from '../src/rendering/document-template.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import { anElectronicDocument } from './electronic-document.ts'
import { pictureDocuments } from './picture-documents.ts'
import { aPrintedDocument, aPrintedLine } from './printed-documents.ts'
import { extractDrawing, extractPages } from './read-pdf.ts'
import { saveScreenshots } from './save-screenshots.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
beforeAll(() => browser.open())
afterAll(() => browser.close())

const print = async (document: DocumentModel) => (await printDocument(browser, { owner: 'test', document, log })).pdf
const open = (pdf: Uint8Array) => PDFDocument.load(pdf, { updateMetadata: false })
const streamText = (stream: PDFRawStream) => Buffer.from(decodePDFRawStream(stream).decode()).toString('latin1')

function metadata(file: PDFDocument): string {
  return streamText(file.catalog.lookup(PDFName.of('Metadata')) as PDFRawStream)
}

/** Structure types of ISO 32000-1, 14.8.4, that Chromium uses for these documents. */
const standard = new Set('Document NonStruct H1 H2 P Span Div Sect Table TR TH TD Figure Link'.split(' '))

function structure(file: PDFDocument): PDFDict[] {
  return file.context
    .enumerateIndirectObjects()
    .map(([, object]) => object)
    .filter((object) => object instanceof PDFDict && object.get(PDFName.of('S')) && object.get(PDFName.of('P'))) as PDFDict[]
}

function findChildren(element: PDFDict): PDFDict[] {
  const kids = element.lookup(PDFName.of('K'))
  const all = kids instanceof PDFArray ? kids.asArray().map((kid) => element.context.lookup(kid)) : [kids]
  return all.filter((kid) => kid instanceof PDFDict)
}

function getType(element: PDFDict): string {
  return String(element.get(PDFName.of('S'))).slice(1)
}

function span(cell: PDFDict): number {
  const attributes = cell.lookupMaybe(PDFName.of('A'), PDFArray)
  const spans = attributes?.asArray().map((each) => cell.context.lookup(each, PDFDict).lookupMaybe(PDFName.of('ColSpan'), PDFNumber))
  return spans?.find((each) => each)?.asNumber() ?? 1
}

test.each(Object.keys(pictureDocuments))('%s has the structure that PDF/UA-1 requires and declares it [documents 20]', async (name) => {
  const pdf = await print(pictureDocuments[name] as DocumentModel)
  await saveScreenshots(`documents-${name}`, pdf)
  const file = await open(pdf)
  expect(metadata(file)).toContain('<pdfuaid:part>1</pdfuaid:part>')
  const elements = structure(file)
  // 7.1-5: every type is standard.
  expect(elements.map(getType).filter((type) => !standard.has(type))).toEqual([])
  // 7.2-43: the rows of the table have the same number of columns.
  const widths = elements
    .filter((element) => getType(element) === 'TR')
    .map((row) => findChildren(row).reduce((sum, cell) => sum + span(cell), 0))
  expect(widths.length).toBeGreaterThan(3)
  expect(new Set(widths)).toEqual(new Set([5]))
  for (const page of file.getPages()) {
    // 7.1-3: everything is tagged or an artifact.
    const content = streamText(page.node.lookup(PDFName.of('Contents')) as PDFRawStream)
    expect(findUnmarked(content)).toEqual([])
    // 7.18.3-1, 7.18.5-2: links follow the structure and have a description.
    expect(page.node.get(PDFName.of('Tabs'))).toBe(PDFName.of('S'))
    for (const link of page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)?.asArray() ?? []) {
      expect(file.context.lookup(link, PDFDict).lookup(PDFName.of('Contents'), PDFHexString).decodeText()).not.toBe('')
    }
  }
})

/** Returns painting operators outside of marked content. */
function findUnmarked(content: string): string[] {
  let depth = 0
  return content.split('\n').filter((line) => {
    const operator = line.slice(line.lastIndexOf(' ') + 1)
    if (operator === 'EMC') depth -= 1
    if (operator === 'BMC' || operator.endsWith('BDC')) depth += 1
    return depth === 0 && ['Tj', 'TJ', 'f', 'f*', 'S', 's', 'B', 'Do'].includes(operator)
  })
}

test('a Factur-X document is declared as PDF/UA beside PDF/A and describes both schemas [documents 20]', async () => {
  const document = anElectronicDocument()
  const file = await open(await facturX(await print(document), document))
  const packet = metadata(file)
  for (const part of ['<pdfaid:part>3<', '<pdfuaid:part>1<', 'PDF/UA Universal Accessibility Schema', 'Factur-X PDFA Extension Schema']) {
    expect(packet).toContain(part)
  }
})

test.each([
  ['Bengali', 'রহিম অ্যান্ড সন্স'],
  ['Tamil', 'தமிழ் நிறுவனம்'],
  ['Khmer', 'ក្រុមហ៊ុន ខ្មែរ'],
  ['Amharic', 'አዲስ አበባ ንግድ'],
  ['Georgian', 'შპს თბილისი'],
  ['Armenian', 'Երեւան ՍՊԸ'],
  ['emoji', 'Café 🚀🎉'],
])('prints %s with embedded fonts and without a box [documents 9]', async (_, name) => {
  const { buyer } = aPrintedDocument()
  const document = aPrintedDocument({ buyer: { ...buyer, name }, lines: [aPrintedLine({ label: name })] })
  expect(documentPage(document).unprintable).toEqual([])
  const pdf = await print(document)
  const drawing = await extractDrawing(pdf)
  for (const font of drawing.fonts) {
    expect(font.isEmbedded).toBe(true)
    expect(font.glyphs.has(0)).toBe(false)
  }
  const text = (await extractPages(pdf)).join(' ').replaceAll(/\s/g, '')
  for (const character of name.replaceAll(/[\s\p{M}]/gu, '')) expect(text + drawing.text).toContain(character.normalize('NFKC'))
})

test('a document that would hold a box is not declared as conforming [documents 9]', async () => {
  const { buyer } = aPrintedDocument()
  const document = aPrintedDocument({ buyer: { ...buyer, name: 'Ada \u{13000}' } })
  expect(documentPage(document).unprintable).toEqual(['\u{13000}'])
  expect((await open(await print(document))).catalog.get(PDFName.of('Metadata'))).toBe(undefined)
})
