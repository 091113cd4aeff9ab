import { PDFDocument } from '@cantoo/pdf-lib'
import type { Logger } from '@quittance/runtime/logger'
import { expect, test } from 'vitest'
import { compactPdf } from './compact-pdf.ts'

function aCompaction() {
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) } as unknown as Logger
  return { warnings, compaction: { owner: 'test', title: 'Rechnung Ł-1', author: 'Żółć 株式会社', log } }
}

async function aPdf(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setCreator('Mozilla/5.0 HeadlessChrome')
  document.setProducer('Skia')
  document.setLanguage('de-CH')
  for (let page = 0; page < 20; page += 1) document.addPage()
  const pdf = await document.save({ useObjectStreams: false })
  return Buffer.from(Buffer.from(pdf).toString('latin1').replace('%PDF-1.7', '%PDF-1.4'), 'latin1')
}

test('sets title and author, removes the name of the browser and keeps the language', async () => {
  const { warnings, compaction } = aCompaction()
  const pdf = await aPdf()
  const compact = await compactPdf(pdf, compaction)
  expect(compact.length).toBeLessThan(pdf.length)
  expect(Buffer.from(compact).toString('latin1')).toMatch(/^%PDF-1\.7[^]*%%EOF\s*$/)
  const document = await PDFDocument.load(compact, { updateMetadata: false })
  expect(document.getTitle()).toBe('Rechnung Ł-1')
  expect(document.getAuthor()).toBe('Żółć 株式会社')
  expect([document.getCreator(), document.getProducer()]).toEqual(['Quittance', 'Quittance'])
  expect(document.getLanguage()).toBe('de-CH')
  expect(warnings).toEqual([])
})

test('returns a PDF that cannot be compacted unchanged, logs a warning, and compacts the next', async () => {
  const { warnings, compaction } = aCompaction()
  const broken = new TextEncoder().encode('%PDF-1.4 broken')
  expect(await compactPdf(broken, compaction)).toBe(broken)
  expect(warnings).toEqual(['rendering.compaction-failed'])
  const pdf = await aPdf()
  expect((await compactPdf(pdf, compaction)).length).toBeLessThan(pdf.length)
})

test('does not mix documents that are compacted concurrently', async () => {
  const titles = Array.from({ length: 8 }, (_, index) => `Invoice ${index}`)
  const { compaction } = aCompaction()
  const pdf = await aPdf()
  const compacts = await Promise.all(titles.map((title) => compactPdf(pdf, { ...compaction, title })))
  const found = await Promise.all(compacts.map(async (compact) => (await PDFDocument.load(compact, { updateMetadata: false })).getTitle()))
  expect(found).toEqual(titles)
})
