import { eventually } from '@quittance/testing/eventually'
import { joinSystem } from '@quittance/testing/join-system'
import type { RunningSystem } from '@quittance/testing/system'
import { extractText } from 'unpdf'
import { beforeAll, expect, test } from 'vitest'
import { buyer, sell, untilPaid } from './sale.ts'

let system: RunningSystem
beforeAll(async () => {
  system = await joinSystem()
})

/** A paid order, as the path of its address. */
async function paidOrder(details: object): Promise<string> {
  const id = await sell(system)
  await untilPaid(system, id)
  await system.api('PATCH', `/v1/orders/${id}`, details)
  return `/v1/orders/${id}`
}

async function found(path: string) {
  return eventually(async () => {
    const { status, body } = await system.api('GET', path)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  })
}

async function textAt(url: string): Promise<string> {
  return (await extractText(await (await fetch(url)).bytes(), { mergePages: true })).text
}

const details = (billing_name: string, line1: string) => ({ billing_name, billing_address: { ...buyer.billing_address, line1 } })

/** Either goes first in half of them. */
async function race(index: number) {
  const path = await paidOrder(details('Ada Lovelace', '12 Analytical Row'))
  const change = () => system.api('PATCH', path, details(`Countess ${index}`, `${index + 1} Rue de la Paix`))
  const request = () => system.api('POST', `${path}/invoice`)
  await Promise.all(index % 2 ? [change(), request()] : [request(), change()])
  const text = await textAt((await found(`${path}/invoice`)).url)
  return { text, order: await found(path) }
}

test('what the document says is what the order says, when it is changed and asked for at the same time (checklist 24)', async () => {
  const raced = await Promise.all(Array.from({ length: 6 }, (_, index) => race(index)))
  for (const { text, order } of raced) {
    expect(text).toContain(order.billing_name)
    expect(text).toContain(order.billing_address.line1)
    expect(text.includes('Countess')).toBe(order.billing_name.startsWith('Countess'))
  }
})

test('an order that was given back as a whole is invoiced as it was sold, and its credit note takes that back (checklist 11)', async () => {
  const path = await paidOrder(details('Ada Lovelace', '12 Analytical Row'))
  const { id, net_amount, total_amount } = await found(path)
  expect(total_amount).toBe(4900)
  const refund = { order_id: id, amount: net_amount, reason: 'customer_request' }
  expect(await system.api('POST', '/v1/refunds/', refund)).toMatchObject({ status: 200 })
  expect(await found(path)).toMatchObject({ status: 'refunded' })
  expect(await system.api('POST', `${path}/invoice`)).toMatchObject({ status: 202 })

  const text = await textAt((await found(`${path}/invoice`)).url)
  for (const part of ['Reading room, one year 1 $49.00 $49.00', 'Total $49.00']) expect(text).toContain(part)
  expect(text).not.toContain('-$49.00')

  const note = await eventually(async () => {
    const { items } = await found(`/v1/credit-notes/?order_id=${id}`)
    expect(items).toMatchObject([{ status: 'generated', total_amount: 4900 }])
    return found(`/v1/credit-notes/${items[0].id}`)
  })
  const { items: invoices } = await found(`/v1/invoices/?order_id=${id}`)
  expect(invoices).toMatchObject([{ status: 'generated', total_amount: 4900, credit_note_ids: [note.id] }])
  const taken = await textAt(note.url)
  for (const part of [note.invoice_number, invoices[0].invoice_number, 'Total credited $49.00']) expect(taken).toContain(part)
})
