import { expect, test } from 'vitest'
import { contentDisposition } from './send-document.ts'
import { verifyDocumentLink, documentUrl } from './document-link.ts'

const now = new Date('2026-11-20T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

function presented() {
  const url = new URL(documentUrl('an-id', { now, baseUrl: 'https://api.example.com', secret: 'secret' }))
  return { invoiceId: 'an-id', expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' }
}

test('builds a link from a public address with or without a trailing slash', () => {
  const link = (baseUrl: string) => documentUrl('an-id', { now, baseUrl, secret: 'secret' })
  expect(link('https://api.example.com/')).toBe(link('https://api.example.com'))
  expect(link('https://api.example.com/')).toMatch(/^https:\/\/api\.example\.com\/v1\/invoices\/documents\/an-id\?expires=/)
})

test('accepts a link for 600 seconds [19]', () => {
  expect(verifyDocumentLink(presented(), { now: later(599), secret: 'secret' })).toBe('valid')
  expect(verifyDocumentLink(presented(), { now: later(600), secret: 'secret' })).toBe('expired')
})

test('rejects a link with another key, document or expiry as forged, even after it has expired', () => {
  expect(verifyDocumentLink(presented(), { now, secret: 'other' })).toBe('forged')
  expect(verifyDocumentLink({ ...presented(), invoiceId: 'other' }, { now, secret: 'secret' })).toBe('forged')
  expect(verifyDocumentLink({ ...presented(), expires: '99999999999' }, { now, secret: 'secret' })).toBe('forged')
  expect(verifyDocumentLink({ ...presented(), signature: '' }, { now: later(9999), secret: 'secret' })).toBe('forged')
})

test('sends a file name of any script in a plain and in an encoded form [20]', () => {
  expect(contentDisposition('Rechnung ‘Ä’.pdf')).toBe(
    `inline; filename="Rechnung____.pdf"; filename*=UTF-8''Rechnung%20%E2%80%98%C3%84%E2%80%99.pdf`,
  )
})
