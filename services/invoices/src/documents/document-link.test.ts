import { expect, test } from 'vitest'
import { contentDisposition } from './content-disposition.ts'
import { checkLink, documentUrl } from './document-link.ts'

const now = new Date('2026-11-20T12:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

function presented() {
  const url = new URL(documentUrl('an-id', { now, baseUrl: 'https://api.example.com', secret: 'secret' }))
  return { invoiceId: 'an-id', expires: url.searchParams.get('expires') ?? '', signature: url.searchParams.get('signature') ?? '' }
}

test('a link begins with the public address, with or without a slash at its end', () => {
  const link = (baseUrl: string) => documentUrl('an-id', { now, baseUrl, secret: 'secret' })
  expect(link('https://api.example.com/')).toBe(link('https://api.example.com'))
  expect(link('https://api.example.com/')).toMatch(/^https:\/\/api\.example\.com\/v1\/invoices\/documents\/an-id\?expires=/)
})

test('a link works for 600 seconds (checklist 19)', () => {
  expect(checkLink(presented(), { now: later(599), secret: 'secret' })).toBe('valid')
  expect(checkLink(presented(), { now: later(600), secret: 'secret' })).toBe('expired')
})

test('a link of another key, document or expiry is forged, also when it has expired', () => {
  expect(checkLink(presented(), { now, secret: 'other' })).toBe('forged')
  expect(checkLink({ ...presented(), invoiceId: 'other' }, { now, secret: 'secret' })).toBe('forged')
  expect(checkLink({ ...presented(), expires: '99999999999' }, { now, secret: 'secret' })).toBe('forged')
  expect(checkLink({ ...presented(), signature: '' }, { now: later(9999), secret: 'secret' })).toBe('forged')
})

test('a file name of any script is carried twice: readable by all, and exact (checklist 20)', () => {
  expect(contentDisposition('Rechnung ‘Ä’.pdf')).toBe(
    `inline; filename="Rechnung____.pdf"; filename*=UTF-8''Rechnung%20%E2%80%98%C3%84%E2%80%99.pdf`,
  )
})
