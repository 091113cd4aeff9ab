import { createHash, createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { anInvoiceSource } from './invoice-source.ts'
import { keepBrowser, startInvoices, type TestInvoices } from './start-invoices.ts'

keepBrowser()

async function aDocument(invoices: TestInvoices) {
  const source = anInvoiceSource()
  await invoices.requestInvoice(source)
  const { id } = await invoices.waitForStatus(source, 'generated')
  const link = await invoices.link(source)
  return { id, source, link, bytes: Buffer.from(await (await invoices.download(link)).arrayBuffer()) }
}

function signed(link: URL, change: { id?: string; expires?: number }): URL {
  const copy = new URL(link)
  const id = change.id ?? (link.pathname.split('/').at(-1) as string)
  const expires = String(change.expires ?? link.searchParams.get('expires'))
  copy.pathname = copy.pathname.replace(/[^/]+$/, id)
  copy.searchParams.set('expires', expires)
  copy.searchParams.set(
    'signature',
    createHmac('sha256', process.env['LINK_SECRET'] as string)
      .update(`${id}.${expires}`)
      .digest('base64url'),
  )
  return copy
}

test('serves the stored bytes with all headers that browsers and caches need [18, 20]', async () => {
  await using invoices = await startInvoices()
  const { id, link, bytes } = await aDocument(invoices)
  const [stored] = await invoices.rows<{ sha256: string }>('select sha256 from invoice_documents where invoice_id = $1', [id])
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(stored?.sha256)
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  expect(bytes.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true)
  const { status, headers } = await invoices.download(link)
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-length': String(bytes.length),
    'content-disposition': `inline; filename="Invoice-NORTHWIND-0001.pdf"; filename*=UTF-8''Invoice-NORTHWIND-0001.pdf`,
    'cache-control': expect.stringContaining('private'),
    'x-content-type-options': 'nosniff',
    etag: `"${stored?.sha256}"`,
  })
})

test('handles HEAD, validators and ranges as in RFC 9110 [20]', async () => {
  await using invoices = await startInvoices()
  const { link, bytes } = await aDocument(invoices)
  const head = await invoices.download(link, { method: 'HEAD' })
  const etag = head.headers.get('etag') as string
  expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([200, String(bytes.length), 0])

  expect((await invoices.download(link, { headers: { 'if-none-match': `"other", W/${etag}` } })).status).toBe(304)
  expect((await invoices.download(link, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)

  const part = await invoices.download(link, { headers: { range: 'bytes=10-19' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20))
  const stale = await invoices.download(link, { headers: { range: 'bytes=10-19', 'if-range': '"other"' } })
  expect(stale.status).toBe(200)

  const beyond = await invoices.download(link, { headers: { range: `bytes=${bytes.length}-` } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  expect(await beyond.json()).toEqual({ error: 'RangeNotSatisfiable', detail: expect.any(String) })
})

test('rejects a changed, expired or unknown link with a specific error [19]', async () => {
  await using invoices = await startInvoices()
  const { link } = await aDocument(invoices)
  const forged = [
    [/signature=./, 'signature='],
    [/expires=\d/, 'expires=9'],
    [/&signature=.*/, ''],
    [/expires=\d+&/, ''],
    [/documents\/[^?]+/, `documents/${randomUUID()}`],
    [/documents\/[^?]+/, 'documents/..%2F..%2Fetc'],
  ] as const
  for (const [part, replacement] of forged) {
    const answer = await invoices.download(new URL(link.href.replace(part, replacement)))
    expect([answer.status, await answer.json()]).toEqual([403, { error: 'NotPermitted', detail: expect.any(String) }])
  }
  const expired = await invoices.download(signed(link, { expires: Math.floor(Date.now() / 1000) - 1 }))
  expect([expired.status, await expired.json()]).toEqual([410, { error: 'DocumentLinkExpired', detail: expect.any(String) }])
  const unknown = await invoices.download(signed(link, { id: randomUUID() }))
  expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'ResourceNotFound', detail: expect.any(String) }])
  const posted = await invoices.download(link, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('serves the same bytes after a restart [101]', async () => {
  await using invoices = await startInvoices()
  const { source, bytes } = await aDocument(invoices)
  await invoices.restart()
  const again = await invoices.download(await invoices.link(source))
  expect(Buffer.from(await again.arrayBuffer())).toEqual(bytes)
})

test('returns 503 while the table of the documents is locked', async () => {
  await using invoices = await startInvoices()
  const { link } = await aDocument(invoices)
  const unlock = await invoices.holdTransaction('lock table invoice_documents in access exclusive mode')
  const answer = await invoices.download(link)
  await unlock()
  expect([answer.status, await answer.json()]).toEqual([503, { error: 'ServiceUnavailable', detail: expect.any(String) }])
  expect((await invoices.download(link)).status).toBe(200)
})

test('neither serves nor renders a corrupted document again, and counts it [104]', async () => {
  await using invoices = await startInvoices()
  const { id, link } = await aDocument(invoices)
  await invoices.rows('alter table invoice_documents disable trigger user')
  await invoices.rows('alter table invoice_documents drop constraint invoice_documents_hash_of_content')
  await invoices.rows(`update invoice_documents set content = set_byte(content, 100, 255 - get_byte(content, 100)) where invoice_id = $1`, [
    id,
  ])
  const answer = await invoices.download(link)
  expect([answer.status, await answer.json()]).toEqual([500, { error: 'InternalServerError', detail: expect.any(String) }])
  expect(answer.headers.get('etag')).toBeNull()
  const metrics = await (await fetch(`http://127.0.0.1:${invoices.healthPort()}/metrics`)).text()
  expect(metrics).toMatch(/^documents_damaged_total\{service="invoices"\} [1-9]/m)
})
