import { randomUUID } from 'node:crypto'
import { mintToken } from '@quittance/runtime/credential'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { bearer, startGateway, verification, verifiedAs, type GatewayUnderTest } from './start-gateway.ts'

const token = mintToken('qt_oat_')
const cursor = `2026-01-01T00:00:00Z ${randomUUID()}`

/** Replies to each request for a part by its cursor; does not reply for a missing part. */
async function playParts({ service: { connection } }: GatewayUnderTest, parts: Record<string, { text: string; next: string | null }>) {
  const calls: unknown[] = []
  connection.subscribe('orders.order.export', {
    callback: (_error, message) => {
      const request = message.json<{ after?: string | null }>()
      calls.push(request)
      const part = parts[request.after ?? '']
      if (part) message.respond(JSON.stringify(part))
      else message.respond('gone')
    },
  })
  await connection.flush()
  return calls
}

test('sends a document of many parts as one, with its name, and filters every part', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  const calls = await playParts(gateway, { '': { text: 'a\r\n', next: cursor }, [cursor]: { text: 'b\r\n', next: null } })
  const product = randomUUID()
  const response = await gateway.fetch(`/v1/orders/export?product_id=${product}`, { headers: bearer(token) })
  expect(await response.text()).toBe('a\r\nb\r\n')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="orders.csv"')
  expect(calls).toEqual([{ product_id: product }, { product_id: product, after: cursor }])
})

test.each(['identity', 'gzip'])('HEAD sends the headers of GET and loads only the first part (%s)', async (coding) => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  const calls = await playParts(gateway, { '': { text: 'a\r\n', next: cursor }, [cursor]: { text: 'b\r\n', next: null } })
  const headers = { ...bearer(token), 'accept-encoding': coding }
  const readHeaders = async (method: string) => {
    const response = await gateway.fetch('/v1/orders/export', { method, headers })
    await response.text()
    const names = ['content-type', 'content-disposition', 'content-encoding', 'content-length', 'cache-control', 'vary']
    return [response.status, ...names.map((name) => response.headers.get(name))]
  }
  const head = await readHeaders('HEAD')
  // A part that HEAD requested would be before the parts of GET.
  const got = await readHeaders('GET')
  expect(calls).toEqual([{}, {}, { after: cursor }])
  expect(head).toEqual(got)
})

test('sends the document as one JSON string to a client that accepts only JSON', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  await playParts(gateway, { '': { text: 'a,"b"\r\n', next: cursor }, [cursor]: { text: 'ü\r\n', next: null } })
  const response = await gateway.fetch('/v1/orders/export', { headers: { ...bearer(token), accept: 'application/json' } })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toBe('a,"b"\r\nü\r\n')
})

test('aborts the document if a part is unavailable, so that it does not seem complete', async () => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(organizationCaller(randomUUID())))
  await playParts(gateway, { '': { text: 'a\r\n', next: cursor } })
  const response = await gateway.fetch('/v1/orders/export', { headers: bearer(token) })
  await expect(response.text()).rejects.toThrow()
})

test('returns no document without a credential', async () => {
  await using gateway = await startGateway()
  expect((await gateway.fetch('/v1/orders/export')).status).toBe(401)
})
