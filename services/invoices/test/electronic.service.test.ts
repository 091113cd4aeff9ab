import {
  AFRelationship,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFHexString,
  type PDFNumber,
  type PDFRawStream,
  type PDFString,
} from '@cantoo/pdf-lib'
import { createLogger } from '@quittance/runtime/logger'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConversionError, createConverter } from '../src/electronic/converter.ts'
import { facturX } from '../src/electronic/factur-x.ts'
import { ciiXml } from '../src/electronic/invoice-xml.ts'
import { ElectronicInvoiceError } from '../src/electronic/electronic-blockers.ts'
import { createBrowser } from '../src/rendering/browser.ts'
import { renderPdf } from '../src/rendering/render-pdf.ts'
import { aLine, anElectronicDocument, aTax } from './electronic-document.ts'
import { findViolatedRules } from './en16931/business-rules.ts'
import { readCii } from './en16931/read-invoice.ts'
import { parseXml, textAt, all } from './en16931/xml-tree.ts'

const log = createLogger('invoices', 'silent')
const browser = createBrowser(() => ({ path: process.env['PUPPETEER_EXECUTABLE_PATH'], sandbox: 'on' }))
const document = anElectronicDocument()
let printed: Uint8Array
let made: Uint8Array

/** A page as printed by Chromium: headings, a table with header cells, a link, and characters beyond Latin-1. */
const html = `<!doctype html><html lang="pl"><title>Faktura NORTHWIND-0042</title><h1>Faktura NORTHWIND-0042</h1>
  <table><thead><tr><th scope="col">Opis<th scope="col">Kwota</thead>${document.lines
    .map(({ label, amount }) => `<tr><td>${label}<td>${amount / 100}`)
    .join('')}</table>
  <p>Zażółć gęślą jaźń. Razem ${document.total / 100}</p><a href="${document.verifyUrl}">${document.verifyUrl}</a></html>`

beforeAll(async () => {
  await browser.open()
  printed = await renderPdf(browser, { owner: 'test', html, log })
  made = await facturX(printed, document)
})
afterAll(() => browser.close())

async function catalog(): Promise<{ file: PDFDocument; entry: (name: string) => unknown }> {
  const file = await PDFDocument.load(made, { updateMetadata: false })
  return { file, entry: (name) => file.catalog.lookup(PDFName.of(name)) }
}

function streamText(stream: unknown): string {
  return Buffer.from((stream as PDFRawStream).getContents()).toString('utf8')
}

test('keeps the text, tags and language of the pages', async () => {
  const [before, after] = await Promise.all([printed, made].map((bytes) => getDocumentProxy(bytes.slice())))
  if (!before || !after) throw new Error('Neither is missing.')
  expect((await extractText(after)).text).toEqual((await extractText(before)).text)
  expect((await extractText(after)).text.join(' ')).toContain('Zażółć gęślą jaźń')
  const tags = await (await after.getPage(1)).getStructTree()
  expect(JSON.stringify(tags)).toMatch(/"role":"H1".*"role":"Table".*"role":"TH"/)
  expect(tags).toEqual(await (await before.getPage(1)).getStructTree())
  expect(await after.getMarkInfo()).toMatchObject({ Marked: true })
  expect((await after.getMetadata()).info).toMatchObject({
    Language: 'pl',
    Title: 'Faktura NORTHWIND-0042',
    Author: document.seller.name,
    Producer: 'Quittance',
    Creator: 'Quittance',
  })
})

test('embeds the XML as the alternative of the document, found by name and by /AF [95]', async () => {
  const { file, entry } = await catalog()
  const files = entry('AF') as PDFArray
  expect(files.size()).toBe(1)
  const spec = files.lookup(0, PDFDict)
  expect((spec.lookup(PDFName.of('AFRelationship')) as PDFName).decodeText()).toBe(AFRelationship.Alternative)
  for (const name of ['F', 'UF']) {
    const found = spec.lookup(PDFName.of(name)) as PDFString | PDFHexString
    expect(found.decodeText()).toBe('factur-x.xml')
  }
  const [attached] = file.getAttachments()
  expect(attached).toMatchObject({ name: 'factur-x.xml', mimeType: 'text/xml' })
  expect(Buffer.from(attached?.data ?? []).toString('utf8')).toBe(await ciiXml(document))
  const asReadersFindIt = (await (await getDocumentProxy(made.slice())).getAttachments()) as Map<string, unknown>
  expect([...asReadersFindIt.keys()]).toEqual(['factur-x.xml'])
})

test('has the totals of the document in the XML and violates no rule of EN 16931 [95]', async () => {
  const [attached] = (await catalog()).file.getAttachments()
  const invoice = readCii(parseXml(Buffer.from(attached?.data ?? []).toString('utf8')))
  const { subtotal, discount, net, tax, total } = document
  expect(invoice.totals).toEqual({ lines: subtotal, allowances: discount, net, tax, gross: total, prepaid: total, payable: 0 })
  expect(invoice.seller.name).toBe(document.seller.name)
  expect(findViolatedRules(invoice)).toEqual([])
})

test('declares PDF/A-3B and Factur-X in well-formed UTF-8 metadata', async () => {
  const { entry } = await catalog()
  const stream = entry('Metadata') as PDFRawStream
  expect(stream.dict.has(PDFName.of('Filter'))).toBe(false)
  const description = all(parseXml(streamText(stream)), 'RDF/Description')
  const declared = Object.fromEntries(description.flatMap(({ children }) => children.map(({ name, text }) => [name, text])))
  expect(declared).toMatchObject({
    part: '3',
    conformance: 'B',
    DocumentFileName: 'factur-x.xml',
    ConformanceLevel: 'EN 16931',
    DocumentType: 'INVOICE',
  })
  const of = (path: string) => description.map((each) => textAt(each, path)).find((text) => text !== null)
  expect(of('title/Alt/li')).toBe('Faktura NORTHWIND-0042')
  expect(of('creator/Seq/li')).toBe(document.seller.name)
})

test('has a colour profile of three components, an identifier and printable links [95]', async () => {
  const { file, entry } = await catalog()
  const intent = (entry('OutputIntents') as PDFArray).lookup(0, PDFDict)
  expect((intent.lookup(PDFName.of('S')) as PDFName).decodeText()).toBe('GTS_PDFA1')
  const profile = intent.lookup(PDFName.of('DestOutputProfile')) as PDFRawStream
  expect((profile.dict.lookup(PDFName.of('N')) as PDFNumber).asNumber()).toBe(3)
  expect(file.context.trailerInfo.ID).toBeDefined()
  const links = file.getPages().flatMap((page) => page.node.lookupMaybe(PDFName.of('Annots'), PDFArray)?.asArray() ?? [])
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) expect((file.context.lookup(link, PDFDict).lookup(PDFName.of('F')) as PDFNumber).asNumber()).toBe(4)
})

test('embeds every font and contains no executable content', async () => {
  const { file } = await catalog()
  const dictionaries = file.context.enumerateIndirectObjects().flatMap(([, object]) => (object instanceof PDFDict ? [object] : []))
  const descriptors = dictionaries.filter((each) => each.lookup(PDFName.of('Type')) === PDFName.of('FontDescriptor'))
  expect(descriptors.length).toBeGreaterThan(0)
  for (const each of descriptors) expect(['FontFile', 'FontFile2', 'FontFile3'].some((name) => each.has(PDFName.of(name)))).toBe(true)
  for (const name of ['JS', 'JavaScript', 'Launch']) expect(dictionaries.some((each) => each.has(PDFName.of(name)))).toBe(false)
  expect(file.isEncrypted).toBe(false)
})

test('rejects a document that EN 16931 cannot represent, and leaves the printed PDF unchanged', async () => {
  const before = Buffer.from(printed)
  const nameless = { ...document, seller: { ...document.seller, taxId: null } }
  await expect(facturX(printed, nameless)).rejects.toThrow(ElectronicInvoiceError)
  expect(Buffer.from(printed).equals(before)).toBe(true)
})

test('does not block the event loop while it converts a long document', async () => {
  const lines = Array.from({ length: 300 }, () => aLine({ amount: 1000, tax: 230 }))
  const sums = { subtotal: 300_000, discount: 0, net: 300_000, tax: 69_000, total: 369_000 }
  const long = anElectronicDocument({ lines, ...sums, taxes: [aTax({ taxable_amount: 300_000, amount: 69_000 })] })
  const converter = createConverter()
  let turns = 0
  const turning = setInterval(() => turns++, 5)
  const content = await converter.facturX('test', { pdf: printed, document: long })
  clearInterval(turning)
  await converter.close()
  const [attached] = (await PDFDocument.load(content, { updateMetadata: false })).getAttachments()
  expect(readCii(parseXml(Buffer.from(attached?.data ?? []).toString('utf8'))).totals.gross).toBe(369_000)
  // Loading and converting take over a second of CPU time: on the main thread there would be only a few turns.
  expect(turns).toBeGreaterThan(40)
})

test('reports a failed conversion as ConversionError and converts the next document', async () => {
  const converter = createConverter()
  await expect(converter.facturX('test', { pdf: new TextEncoder().encode('no PDF'), document })).rejects.toThrow(ConversionError)
  const nameless = { ...document, seller: { ...document.seller, name: ' ' } }
  await expect(converter.facturX('test', { pdf: printed, document: nameless })).rejects.toThrow(ElectronicInvoiceError)
  const [first, second] = await Promise.all([
    converter.facturX('test', { pdf: printed, document }),
    converter.facturX('test', { pdf: printed, document }),
  ])
  expect(Buffer.from(first).equals(Buffer.from(made))).toBe(true)
  expect(Buffer.from(second).equals(Buffer.from(made))).toBe(true)
  await converter.close()
})

test('rejects a conversion that exceeds the timeout or whose thread ends', async () => {
  const hasty = createConverter({ deadlineMs: 1 })
  await expect(hasty.facturX('test', { pdf: printed, document })).rejects.toThrow('Conversion took longer than 0.001 s')
  const closed = createConverter()
  const both = Promise.allSettled([closed.facturX('test', { pdf: printed, document }), closed.facturX('test', { pdf: printed, document })])
  await new Promise(setImmediate)
  await closed.close()
  expect(await both).toMatchObject([
    { status: 'rejected', reason: { message: 'The conversion thread ended' } },
    { status: 'rejected', reason: { message: 'The service is stopping' } },
  ])
})

test('converts a taxed document of 5,000 lines in a thread [documents 2]', async () => {
  const count = 5000
  const lines = Array.from({ length: count }, (_, index) => aLine({ label: `Part ${index}`, amount: 100, tax: 23, taxPosition: 1 }))
  const sums = { subtotal: count * 100, discount: 0, net: count * 100, tax: count * 23, total: count * 123 }
  const long = anElectronicDocument({ lines, ...sums, taxes: [aTax({ taxable_amount: count * 100, amount: count * 23 })] })
  const converter = createConverter()
  try {
    expect((await converter.facturX('test', { pdf: printed, document: long })).length).toBeGreaterThan(printed.length)
  } finally {
    await converter.close()
  }
}, 120_000)
