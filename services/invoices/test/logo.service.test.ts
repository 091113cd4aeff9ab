import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RequestValidationError, ServiceUnavailable } from '@quittance/contracts/errors'
import { getInvoiceSettings, updateInvoiceSettings } from '@quittance/contracts/invoice-settings'
import { createLogger } from '@quittance/runtime/logger'
import { call } from '@quittance/runtime/rpc-client'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { parsePicture, type Picture } from '../src/pictures/picture.ts'
import { browser } from '../src/rendering/browser-component.ts'
import { printDocument } from '../src/rendering/print-document.ts'
import { aDamagedPng, aPng, toDataUrl } from './pictures.ts'
import { aPrintedDocument } from './printed-documents.ts'
import { extractPages } from './read-pdf.ts'
import { keepBrowser, startInvoices } from './start-invoices.ts'

keepBrowser()

const log = createLogger('invoices', 'silent')
const square = (side: number) => aPng({ width: side, height: side, bits: 1 })

test.each([
  ['16000² pixels in 31 KB', toDataUrl(square(16_000)), /16000 × 16000 pixels; at most 2048 pixels per side and 4 megapixels/],
  ['20000² pixels', toDataUrl(square(20_000)), /20000 × 20000 pixels; at most 2048/],
  ['more than four megapixels', toDataUrl(square(2_040)), /at most 2048 pixels per side and 4 megapixels/],
  ['garbage labelled PNG', toDataUrl(Buffer.from('garbage')), /not a picture of the declared type/],
  ['a PNG labelled JPEG', toDataUrl(square(10), 'jpeg'), /not a picture of the declared type/],
  ['a PNG with damaged pixels', toDataUrl(aDamagedPng()), /damaged/],
])('rejects a logo of %s, and writes nothing [documents 7] [documents 8]', async (_, logo, reason) => {
  await using invoices = await startInvoices()
  const update = invoices.call(updateInvoiceSettings, { logo, footer: 'Thanks' }, organizationCaller(randomUUID()))
  await expect(update).rejects.toThrow(RequestValidationError)
  await expect(update).rejects.toThrow(reason)
  await expect(update).rejects.toThrow(/logo/)
  expect(await invoices.rows('select from invoice_settings')).toEqual([])
})

test('stores a logo upright, in print resolution and without its metadata', async () => {
  await using invoices = await startInvoices()
  const seller = organizationCaller(randomUUID())
  const sideways = sharp({ create: { width: 1600, height: 400, channels: 3, background: 'teal' } })
  const photo = await sideways
    .withExif({ IFD0: { Artist: 'Nobody' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect(photo.includes('Exif')).toBe(true)
  const { logo } = await invoices.call(updateInvoiceSettings, { logo: toDataUrl(photo, 'jpeg') }, seller)
  const stored = parsePicture(logo ?? '') as Picture
  expect(stored).toMatchObject({ type: 'jpeg', width: 256, height: 1024 })
  expect(stored.bytes.includes('Exif')).toBe(false)
  expect(await invoices.call(updateInvoiceSettings, { footer: 'Thanks' }, seller)).toMatchObject({ logo, footer: 'Thanks' })
  await invoices.call(updateInvoiceSettings, { logo: null }, seller)
  expect(await invoices.call(getInvoiceSettings, {}, seller)).toMatchObject({ logo: null })
})

test('stores a logo whose file grows when it is encoded again within the size limit', async () => {
  await using invoices = await startInvoices()
  const noise = {
    create: { width: 700, height: 700, channels: 3, background: 'white', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  } as const
  const small = await sharp(noise).jpeg({ quality: 30 }).toBuffer()
  const { logo } = await invoices.call(updateInvoiceSettings, { logo: toDataUrl(small, 'jpeg') }, organizationCaller(randomUUID()))
  expect((parsePicture(logo ?? '') as Picture).bytes.length).toBeLessThanOrEqual(220_000)
})

test.runIf(existsSync('/proc/self/task'))('a logo that is not decoded in time is a 503, and nothing is written', async () => {
  await using invoices = await startInvoices()
  const logo = toDataUrl(aPng({ width: 1990, height: 1990, bits: 24 }))
  const update = invoices.call(updateInvoiceSettings, { logo }, organizationCaller(randomUUID()))
  process.kill(await eventually(findDecoder), 'SIGSTOP')
  await expect(update).rejects.toThrow(ServiceUnavailable)
  expect(await invoices.rows('select from invoice_settings')).toEqual([])
})

/** Returns the process id of the program that decodes a logo for this process. */
function findDecoder(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
  const decoder = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reencode-program'))
  if (!decoder) throw new Error('No logo is being decoded')
  return Number(decoder)
}

test('serves others while it decodes the logos of an organization [documents 7]', async () => {
  await using invoices = await startInvoices()
  const [large, other] = [randomUUID(), randomUUID()].map(organizationCaller) as [never, never]
  const logo = toDataUrl(aPng({ width: 1990, height: 1990, bits: 24 }))
  let finished = 0
  // The last one may wait longer than a request usually may: a busy machine decodes one in seconds.
  const update = () => call(invoices.connection, { operation: updateInvoiceSettings, request: { logo }, caller: large, timeoutMs: 60_000 })
  const backlog = Array.from({ length: 8 }, () => update().then(() => (finished += 1)))
  await nextTurn()
  await invoices.call(updateInvoiceSettings, { logo: toDataUrl(square(10)) }, other)
  expect(finished).toBeLessThan(4)
  await Promise.all(backlog)
})

test.each([
  ['is too large', toDataUrl(square(16_000))],
  ['is no picture', toDataUrl(Buffer.from('garbage'))],
  ['is damaged', toDataUrl(aDamagedPng())],
])('prints the name of the seller in place of a stored logo that %s [documents 8]', async (_, logo) => {
  const { seller } = aPrintedDocument()
  const document = aPrintedDocument({ seller: { ...seller, logo, name: 'Osiris Ltd' } })
  const { pdf } = await printDocument(browser, { owner: 'test', document, log })
  const [text = ''] = await extractPages(pdf)
  expect(text.split('Osiris Ltd')).toHaveLength(3)
  expect(Buffer.from(pdf).includes('/Subtype/Image') || Buffer.from(pdf).includes('/Subtype /Image')).toBe(false)
})
