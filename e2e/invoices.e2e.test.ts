import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { extractText } from 'unpdf'
import { beforeAll, expect, test } from 'vitest'
import { buyer, sell, waitUntilPaid } from './sale.ts'

let system: RunningSystem
beforeAll(async () => {
  system = await useSharedSystem()
})

/** Creates a paid order with these details; returns its path. */
async function createPaidOrder(details: object): Promise<string> {
  const id = await sell(system)
  await waitUntilPaid(system, id)
  await system.api('PATCH', `/v1/orders/${id}`, details)
  return `/v1/orders/${id}`
}

async function waitUntilFound(path: string) {
  return eventually(async () => {
    const { status, body } = await system.api('GET', path)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  })
}

async function readPdfText(url: string): Promise<string> {
  return (await extractText(await (await fetch(url)).bytes(), { mergePages: true })).text
}

const buildDetails = (billing_name: string, line1: string) => ({ billing_name, billing_address: { ...buyer.billing_address, line1 } })

/** Changes the order and requests its invoice concurrently; each comes first in half of the orders. */
async function changeAndInvoice(index: number) {
  const path = await createPaidOrder(buildDetails('Ada Lovelace', '12 Analytical Row'))
  const change = () => system.api('PATCH', path, buildDetails(`Countess ${index}`, `${index + 1} Rue de la Paix`))
  const request = () => system.api('POST', `${path}/invoice`)
  await Promise.all(index % 2 ? [change(), request()] : [request(), change()])
  const text = await readPdfText((await waitUntilFound(`${path}/invoice`)).url)
  return { text, order: await waitUntilFound(path) }
}

test('the document matches the order when a change and the invoice request are concurrent [24]', async () => {
  const results = await Promise.all(Array.from({ length: 6 }, (_, index) => changeAndInvoice(index)))
  for (const { text, order } of results) {
    expect(text).toContain(order.billing_name)
    expect(text).toContain(order.billing_address.line1)
    expect(text.includes('Countess')).toBe(order.billing_name.startsWith('Countess'))
  }
})

test('a fully refunded order is invoiced as sold, and its credit note reverses the invoice [11]', async () => {
  const path = await createPaidOrder(buildDetails('Ada Lovelace', '12 Analytical Row'))
  const { id, net_amount, total_amount } = await waitUntilFound(path)
  expect(total_amount).toBe(4900)
  const refund = { order_id: id, amount: net_amount, reason: 'customer_request' }
  expect(await system.api('POST', '/v1/refunds/', refund)).toMatchObject({ status: 200 })
  expect(await waitUntilFound(path)).toMatchObject({ status: 'refunded' })
  expect(await system.api('POST', `${path}/invoice`)).toMatchObject({ status: 202 })

  const text = await readPdfText((await waitUntilFound(`${path}/invoice`)).url)
  for (const part of ['Reading room, one year 1 $49.00 $49.00', 'Total $49.00']) expect(text).toContain(part)
  // The only sum that is taken off is the payment: the refund is on the credit note.
  expect(text.match(/^.*-\$49\.00$/gm)).toEqual([expect.stringMatching(/^Paid on /)])
  expect(text).not.toMatch(/refund|credit/i)

  const note = await eventually(async () => {
    const { items } = await waitUntilFound(`/v1/credit-notes/?order_id=${id}`)
    expect(items).toMatchObject([{ status: 'generated', total_amount: 4900 }])
    return waitUntilFound(`/v1/credit-notes/${items[0].id}`)
  })
  const { items: invoices } = await waitUntilFound(`/v1/invoices/?order_id=${id}`)
  expect(invoices).toMatchObject([{ status: 'generated', total_amount: 4900, credit_note_ids: [note.id] }])
  const creditNoteText = await readPdfText(note.url)
  for (const part of [note.invoice_number, invoices[0].invoice_number, 'Total credited $49.00']) expect(creditNoteText).toContain(part)
})
