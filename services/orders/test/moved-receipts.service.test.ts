import { addReceipt, importStatement, listBankReceipts, markReceiptAsReturned } from '@quittance/contracts/bank-receipts'
import { Conflict } from '@quittance/contracts/errors'
import { createPaymentAccount } from '@quittance/contracts/payment-accounts'
import { expect, test } from 'vitest'
import { buildCamt } from './camt.ts'
import { asThisRelease } from './money.ts'
import {
  bankAccount,
  buyByTransfer,
  readBalance,
  receiveMoney,
  startTransferShop,
  waitForChecks,
  waitForOrderStatus,
  waitForPaymentState,
  type TransferShop,
} from './transfer-shop.ts'

const booked_on = '2026-11-24'

/** Pays an order, and sends its amount again under its reference. */
async function payTwice(shop: TransferShop) {
  const { orders, account } = shop
  const first = await buyByTransfer(shop)
  await receiveMoney(shop, first.paymentId, 4_200)
  await waitForOrderStatus(shop, first.orderId, 'paid')
  const document = buildCamt([{ structured: first.reference }])
  const { matched } = await orders.call(importStatement, { id: account.id, document }, shop.shop.seller)
  return { first, bank_reference: matched[0]?.bank_reference ?? '' }
}

test('money under the reference of a paid order pays another order once it is assigned', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { first, bank_reference } = await payTwice(shop)
  const next = await buyByTransfer(shop)
  const assignment = { id: next.paymentId, amount: 4_200, booked_on, bank_reference }
  expect(await orders.call(addReceipt, assignment, seller)).toMatchObject({ payment_id: next.paymentId, source: 'statement' })
  await waitForOrderStatus(shop, next.orderId, 'paid')
  expect(await orders.call(addReceipt, assignment, seller)).toMatchObject({ payment_id: next.paymentId, unapplied_amount: 0 })
  await expect(orders.call(addReceipt, { ...assignment, id: first.paymentId }, seller)).rejects.toThrow(Conflict)
  expect([await readBalance(shop, 'order'), await readBalance(shop, 'unapplied')]).toEqual([8_400, 0])
  await waitForOrderStatus(shop, first.orderId, 'paid')
})

test('only money of which an ended payment took nothing is assigned again, to a payment without money', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { first, bank_reference } = await payTwice(shop)
  const [paid, open] = [await buyByTransfer(shop), await buyByTransfer(shop)]
  const part = await receiveMoney(shop, open.paymentId, 4_000)
  const over = await receiveMoney(shop, paid.paymentId, 4_300)
  await waitForOrderStatus(shop, paid.orderId, 'paid')
  const assign = (id: string, receipt: { bank_reference: string; amount: number }) =>
    orders.call(addReceipt, { id, booked_on, amount: receipt.amount, bank_reference: receipt.bank_reference }, seller)
  const rejected: [string, { bank_reference: string; amount: number }][] = [
    [paid.paymentId, part],
    [open.paymentId, over],
    [paid.paymentId, { bank_reference, amount: 4_200 }],
    [open.paymentId, { bank_reference, amount: 4_000 }],
  ]
  for (const [id, receipt] of rejected) await expect(assign(id, receipt)).rejects.toThrow('is of another payment, amount or currency')
  const move = (to: string, { id }: { id: string }) => orders.rows('update bank_receipts set payment_id = $1 where id = $2', [to, id])
  await expect(move(paid.paymentId, part)).rejects.toThrow('is only assigned to a payment, once')
  await expect(move(open.paymentId, over)).rejects.toThrow('is only assigned to a payment, once')
  const { items } = await orders.call(listBankReceipts, { payment_id: first.paymentId, is_unapplied: true }, seller)
  await orders.call(markReceiptAsReturned, { id: items[0]?.id ?? '' }, seller)
  await expect(assign(open.paymentId, { bank_reference, amount: 4_200 })).rejects.toThrow('was returned')
})

test('money of an ended request that is complete and not applied yet stays with it', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const [ended, open] = [await buyByTransfer(shop), await buyByTransfer(shop)]
  const { amount, bank_reference } = await receiveMoney(shop, ended.paymentId, 4_000)
  await waitForChecks(shop, ended.paymentId)
  await asThisRelease(orders, `update payments set action_until = now(), next_check_at = now() where id = '${ended.paymentId}'`)
  await waitForPaymentState(shop, ended.paymentId, 'failed')
  await waitForChecks(shop, ended.paymentId)
  await asThisRelease(orders, `update payments set leased_until = now() + interval '1 hour' where id = '${ended.paymentId}'`)
  await receiveMoney(shop, ended.paymentId, 200)
  const assignment = { id: open.paymentId, amount, booked_on, bank_reference }
  await expect(orders.call(addReceipt, assignment, shop.shop.seller)).rejects.toThrow('is complete and being applied')
  await asThisRelease(orders, `update payments set leased_until = null where id = '${ended.paymentId}'`)
  await waitForOrderStatus(shop, ended.orderId, 'paid')
})

test('a credit in another currency is not assigned to a payment, whatever its amount', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  const document = buildCamt([{ currency: 'CHF', unstructured: ['Thanks'] }])
  const { unmatched } = await orders.call(importStatement, { id: account.id, document }, seller)
  const assignment = { id: paymentId, amount: 4_200, booked_on, bank_reference: unmatched[0]?.bank_reference ?? '' }
  await expect(orders.call(addReceipt, assignment, seller)).rejects.toThrow(Conflict)
  expect(await orders.rows('select payment_id from bank_receipts')).toEqual([{ payment_id: null }])
  expect(await orders.rows('select status from orders where id = $1', [orderId])).toEqual([{ status: 'pending' }])
})

test('a statement of one bank account pays no payment of another one of the seller', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { reference, orderId } = await buyByTransfer(shop)
  const iban = 'GB82WEST12345698765432'
  const bank = { ...bankAccount, iban }
  const other = await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'test', bank }, seller)
  const document = buildCamt([{ structured: reference }], { iban })
  const reply = await orders.call(importStatement, { id: other.id, document }, seller)
  expect(reply).toMatchObject({ matched: [], unmatched: [{ amount: 4_200, payment_id: null }] })
  expect(await orders.rows('select status from orders where id = $1', [orderId])).toEqual([{ status: 'pending' }])
})
