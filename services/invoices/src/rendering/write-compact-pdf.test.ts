import { PDFDict, PDFDocument, PDFName, PDFRawStream, PDFString } from '@cantoo/pdf-lib'
import { expect, test } from 'vitest'
import { readPrintedPdf, type PdfObject, type PrintedPdf } from './read-printed-pdf.ts'
import { writeCompactPdf } from './write-compact-pdf.ts'

/** A PDF with the objects 1 to n, one section and a classic table, as Chromium prints it. The first is the catalog, the second the description. */
function print(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n%\xd3\xeb\xe9\xe1\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(`${file}${table}trailer\n<</Size 9\n/Root 1 0 R\n/Info 2 0 R>>\nstartxref\n${file.length}\n%%EOF\n`, 'latin1')
}

const catalog = '<</Type /Catalog /Pages 3 0 R>>'
const pages = '<</Type /Pages /Count 0 /Kids []>>'
const confusing = '(endobj endstream stream /Length 3 >> trailer startxref 7 %%EOF)'

test('keeps every object, whatever strings and streams contain', async () => {
  const data = `endstream endobj ${'\xff\x00\n\r'.repeat(20)}`
  const stream = `<</Length ${data.length}>> stream\n${data}\nendstream`
  const others = Array.from({ length: 600 }, (_, index) => `<</Number ${index}>>`)
  const printed = print([catalog, `<</Title ${confusing}>>`, pages, stream, ...others])
  const file = writeCompactPdf(readPrintedPdf(printed))
  const { context } = await PDFDocument.load(file, { updateMetadata: false })
  const info = context.lookup(context.trailerInfo.Info, PDFDict)
  expect(info.lookup(PDFName.of('Title'), PDFString).asString()).toBe(confusing.slice(1, -1))
  const found = context.enumerateIndirectObjects().map(([, object]) => object)
  const [kept] = found.filter((object) => object instanceof PDFRawStream && !object.dict.has(PDFName.of('Type'))) as [PDFRawStream]
  expect(Buffer.from(kept.contents).toString('latin1')).toBe(data)
  expect(found.filter((object) => object instanceof PDFDict && object.has(PDFName.of('Number')))).toHaveLength(600)
  expect(file.length).toBeLessThan(printed.length / 4)
})

test('writes the same objects that it reads', () => {
  const objects = new Map<number, PdfObject>([
    [1, { text: catalog, stream: null }],
    [2, { text: '<<>>', stream: null }],
    [3, { text: pages, stream: null }],
    [5, { text: '<</Length 2>>', stream: Buffer.from('\n\r') }],
  ])
  const printed: PrintedPdf = { objects, root: 1, info: 2 }
  const first = writeCompactPdf(printed)
  expect(first.equals(writeCompactPdf(printed))).toBe(true)
  expect(first.toString('latin1')).toContain('5 0 obj\n<</Length 2>>\nstream\n\n\r\nendstream\nendobj\n')
})

const valid = print([catalog, '<<>>', pages, '<</Length 2>> stream\nab\nendstream']).toString('latin1')

test.each([
  ['nothing', ''],
  ['no table', valid.replace('xref\n', 'xref \x00')],
  ['an object at another offset', valid.replace('3 0 obj', '33 0 obj')],
  ['another generation', valid.replace('00000 n', '00001 n')],
  ['no catalog', valid.replace('/Root', '/Loot')],
  ['a stream with a wrong length', valid.replace('/Length 2', '/Length 3')],
  ['a stream without a length', valid.replace('/Length 2', '/Lengths 2')],
])('rejects a file with %s', (_, file) => {
  expect(() => readPrintedPdf(Buffer.from(valid, 'latin1'))).not.toThrow()
  expect(() => readPrintedPdf(Buffer.from(file, 'latin1'))).toThrow(/is missing|offset|generation|no Root|length/)
})
