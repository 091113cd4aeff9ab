import { connect } from 'node:net'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream.ts'
import { gatewayPort, invoicesPorts, startGateway, storefrontPort } from './start-gateway.ts'

test('pages that the storefront does not answer delay no other page', async () => {
  await using gateway = await startGateway()
  await using storefront = await startFakeUpstream(storefrontPort)
  const released = Promise.withResolvers<void>()
  storefront.answer(({ url }, response) => {
    if (url === '/checkout/quick') response.end('quick')
    else void released.promise.then(() => response.end('slow'))
  })
  let answered = 0
  const slow = Array.from({ length: 100 }, async () => {
    const response = await gateway.fetch('/checkout/slow')
    answered += 1
    return response.status
  })
  await eventually(() => expect(storefront.received).toHaveLength(100))
  expect(await (await gateway.fetch('/checkout/quick')).text()).toBe('quick')
  expect(answered).toBe(0)
  released.resolve()
  expect(new Set(await Promise.all(slow))).toEqual(new Set([200]))
})

test('an address has 16 downloads in progress, and others after them', async () => {
  await using gateway = await startGateway()
  await using invoices = await startFakeUpstream(invoicesPorts[0])
  const released = Promise.withResolvers<void>()
  invoices.answer((_, response) => void released.promise.then(() => response.end('document')))
  const download = async () => (await gateway.fetch('/v1/invoices/documents/1?x=1')).status
  const downloads = Array.from({ length: 16 }, download)
  await eventually(() => expect(invoices.received).toHaveLength(16))
  expect(await download()).toBe(429)
  released.resolve()
  expect(new Set(await Promise.all(downloads))).toEqual(new Set([200]))
  await eventually(async () => expect(await download()).toBe(200))
})

test('a client that does not read a document holds no connection to the service that has it', async () => {
  await using gateway = await startGateway()
  await using invoices = await startFakeUpstream(invoicesPorts[0])
  const document = Buffer.alloc(16 * 1024 * 1024)
  let sent = 0
  invoices.answer((_, response) => response.end(document, () => (sent += 1)))
  const socket = connect(gatewayPort, '127.0.0.1').pause()
  socket.on('error', () => {})
  try {
    socket.write('GET /v1/invoices/documents/1?x=1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4))
    await eventually(() => {
      expect(invoices.received.length).toBeGreaterThan(0)
      expect(sent).toBe(invoices.received.length)
    })
    expect((await gateway.fetch('/v1/changes')).status).toBe(200)
  } finally {
    socket.destroy()
  }
})
