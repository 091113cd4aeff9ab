import { randomUUID } from 'node:crypto'
import { addReceipt, importStatement, listBankReceipts, markReceiptAsReturned } from '@quittance/contracts/bank-receipts'
import { Conflict, ResourceNotFound } from '@quittance/contracts/errors'
import { getOrder } from '@quittance/contracts/orders'
import { voidOrder } from '@quittance/contracts/unpaid-invoices'
import { organizationCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { buildCamt } from './camt.ts'
import { asThisRelease } from './money.ts'
import {
  buyByTransfer,
  buyInvoicedByTransfer,
  readBalance,
  receiveMoney,
  startTransferShop,
  waitForOrderStatus,
  type TransferShop,
} from './transfer-shop.ts'

async function listUnapplied({ orders, shop }: TransferShop) {
  const { items } = await orders.call(listBankReceipts, { is_unapplied: true, sorting: ['created_at'] }, shop.seller)
  return items.map(({ id, unapplied_amount }) => [id, unapplied_amount])
}

test('what is over is listed with the last receipt until it is marked as returned, and booked once', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  const first = await receiveMoney(shop, paymentId, 4_000)
  expect(first).toMatchObject({ unapplied_amount: 4_000, returned_amount: 0, returned_at: null })
  const second = await receiveMoney(shop, paymentId, 500)
  await waitForOrderStatus(shop, orderId, 'paid')
  const third = await receiveMoney(shop, paymentId, 4_200)
  expect(await listUnapplied(shop)).toEqual([
    [second.id, 300],
    [third.id, 4_200],
  ])
  expect(await readBalance(shop, 'unapplied')).toBe(4_500)
  await expect(orders.call(markReceiptAsReturned, { id: first.id }, seller)).rejects.toThrow(Conflict)
  const returned = await orders.call(markReceiptAsReturned, { id: second.id }, seller)
  expect(returned).toMatchObject({ amount: 500, unapplied_amount: 0, returned_amount: 300, returned_at: expect.any(String) })
  expect(await orders.call(markReceiptAsReturned, { id: second.id }, seller)).toEqual(returned)
  await orders.call(markReceiptAsReturned, { id: third.id }, seller)
  expect(await listUnapplied(shop)).toEqual([])
  const accounts = ['provider', 'order', 'unapplied']
  expect(await Promise.all(accounts.map((account) => readBalance(shop, account)))).toEqual([-4_200, 4_200, 0])
  expect(await orders.call(getOrder, { id: orderId }, seller)).toMatchObject({ status: 'paid', refunded_amount: 0 })
})

test('a receipt without a payment is returned, and then no payment gets it', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  await orders.call(importStatement, { id: account.id, document: buildCamt([{ amount: '7.00', unstructured: ['Hello'] }]) }, seller)
  const { items } = await orders.call(listBankReceipts, { is_matched: false }, seller)
  const [{ id, bank_reference } = { id: '', bank_reference: '' }] = items
  await expect(orders.call(markReceiptAsReturned, { id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
  expect(await orders.call(markReceiptAsReturned, { id }, seller)).toMatchObject({ returned_amount: 700, unapplied_amount: 0 })
  const { paymentId } = await buyByTransfer(shop)
  const assignment = { id: paymentId, amount: 700, booked_on: '2026-11-24', bank_reference }
  await expect(orders.call(addReceipt, assignment, seller)).rejects.toThrow(Conflict)
  expect(await readBalance(shop, 'unapplied')).toBe(0)
})

test('a part that arrived for a voided order is returned, and no longer counts towards its payment', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { orderId: id, paymentId } = await buyInvoicedByTransfer(shop)
  const part = await receiveMoney(shop, paymentId, 1_000)
  await orders.call(voidOrder, { id }, seller)
  await orders.call(markReceiptAsReturned, { id: part.id }, seller)
  const late = await receiveMoney(shop, paymentId, 3_200)
  // Together they were the whole amount, which would be a surplus.
  expect(await listUnapplied(shop)).toEqual([[late.id, 3_200]])
  await orders.call(markReceiptAsReturned, { id: late.id }, seller)
  expect([await readBalance(shop, 'unapplied'), await readBalance(shop, 'provider')]).toEqual([0, 0])
  expect(await orders.rows('select from refunds')).toEqual([])
})

test('money of a payment that is complete and not applied yet is not returned', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  await asThisRelease(orders, `update payments set leased_until = now() + interval '1 hour' where id = '${paymentId}'`)
  const { id } = await receiveMoney(shop, paymentId, 4_200)
  await expect(orders.call(markReceiptAsReturned, { id }, shop.shop.seller)).rejects.toThrow('is complete and being applied')
  await asThisRelease(orders, `update payments set leased_until = null where id = '${paymentId}'`)
  await waitForOrderStatus(shop, orderId, 'paid')
})

test('a return and the last part at the same time: money is applied or returned, never both', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  for (let round = 0; round < 3; round += 1) {
    const { paymentId, orderId } = await buyByTransfer(shop)
    const part = await receiveMoney(shop, paymentId, 4_000)
    const [returned] = await Promise.allSettled([
      orders.call(markReceiptAsReturned, { id: part.id }, shop.shop.seller),
      receiveMoney(shop, paymentId, 200),
    ])
    if (returned.status === 'rejected') await waitForOrderStatus(shop, orderId, 'paid')
    else await receiveMoney(shop, paymentId, 4_000).then(() => waitForOrderStatus(shop, orderId, 'paid'))
  }
  expect([await readBalance(shop, 'unapplied'), await readBalance(shop, 'provider')]).toEqual([0, -3 * 4_200])
})

test('SQL returns no more than is over, and a receipt only once', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  await receiveMoney(shop, paymentId, 4_300)
  await waitForOrderStatus(shop, orderId, 'paid')
  const mark = (amount: number) =>
    orders.rows(`update bank_receipts set returned_amount = ${amount}, unapplied_amount = 0, returned_at = now() returning 1`)
  for (const amount of [99, 101, 4_300]) await expect(mark(amount)).rejects.toThrow('is returned as a whole, once')
  await expect(mark(4_301)).rejects.toThrow('bank_receipts_add_up')
  await expect(orders.rows('update bank_receipts set unapplied_amount = 101')).rejects.toThrow('applied or returned for good')
  expect(await mark(100)).toHaveLength(1)
  await expect(mark(101)).rejects.toThrow('is returned as a whole, once')
})
