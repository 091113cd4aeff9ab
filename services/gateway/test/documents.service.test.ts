import { expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream.ts'
import { invoicesPorts, startGateway } from './start-gateway.ts'

test('streams a document from a running replica and forwards no credential [115]', async () => {
  await using gateway = await startGateway()
  await using invoices = await startFakeUpstream(invoicesPorts[1])
  invoices.answer((_, response) => response.writeHead(206, { 'content-type': 'application/pdf', 'set-cookie': 'a=1' }).end('%PDF'))
  for (let times = 0; times < 2; times++) {
    const headers = { range: 'bytes=0-3', authorization: 'Bearer x', cookie: 'a=1' }
    const response = await gateway.fetch('/v1/invoices/documents/1?signature=x', { headers })
    expect([response.status, await response.text()]).toEqual([206, '%PDF'])
    expect(response.headers.get('set-cookie')).toBeNull()
  }
  expect(invoices.received).toHaveLength(2)
  expect(invoices.received[0]).toMatchObject({ url: '/documents/1?signature=x', headers: { range: ['bytes=0-3'] } })
  expect(Object.keys(invoices.received[0]?.headers ?? {})).not.toContain('authorization')
})

test('returns 503 without replicas', async () => {
  await using gateway = await startGateway()
  const response = await gateway.fetch('/v1/invoices/documents/1')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: 'ServiceUnavailable' })
})
