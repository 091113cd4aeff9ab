import { addReceipt, importStatement, listBankReceipts } from '@quittance/contracts/bank-receipts'
import { expect, test } from 'vitest'
import { buildCamt, type TestEntry } from './camt.ts'
import { buyByTransfer, startTransferShop, waitForOrderStatus, type TransferShop } from './transfer-shop.ts'

function load({ orders, shop, account }: TransferShop, entries: TestEntry[]) {
  return orders.call(importStatement, { id: account.id, document: buildCamt(entries) }, shop.seller)
}

test('a later statement with more credits under the same reference counts each of them once', async () => {
  await using shop = await startTransferShop()
  const { paymentId, orderId, reference } = await buyByTransfer(shop)
  const half = { amount: '21.00', structured: reference }
  const other = { amount: '7.00', unstructured: ['Hello'], payer: 'Another' }
  expect(await load(shop, [half])).toMatchObject({ matched: [{ amount: 2100, payment_id: paymentId }] })
  expect(await load(shop, [other, half])).toMatchObject({
    matched: [],
    unmatched: [{ amount: 700, bank_reference: '2026-11-24/BANK-1/2' }],
    known: [{ amount: 2100, bank_reference: '2026-11-24/BANK-1', payment_id: paymentId }],
    conflicting: [],
  })
  expect(await load(shop, [half, other])).toMatchObject({ matched: [], unmatched: [], known: [{}, {}] })
  const { items } = await shop.orders.call(listBankReceipts, { sorting: ['amount'] }, shop.shop.seller)
  expect(items.map(({ amount }) => amount)).toEqual([700, 2100])
  await waitForOrderStatus(shop, orderId, 'pending')
})

test('credits of two buyers with one reference of the bank pay both orders, one document each', async () => {
  await using shop = await startTransferShop()
  const [ada, bob] = [await buyByTransfer(shop), await buyByTransfer(shop)]
  expect(await load(shop, [{ structured: ada.reference, payer: 'Ada' }])).toMatchObject({ matched: [{ payment_id: ada.paymentId }] })
  expect(await load(shop, [{ structured: bob.reference, payer: 'Bob' }])).toMatchObject({
    matched: [{ payment_id: bob.paymentId }],
    known: [],
  })
  for (const { orderId } of [ada, bob]) await waitForOrderStatus(shop, orderId, 'paid')
})

test('a repeated import names the payment to which a receipt was assigned since', async () => {
  await using shop = await startTransferShop()
  const { paymentId: id } = await buyByTransfer(shop)
  const entry = { amount: '3.00', unstructured: ['no reference'] }
  expect(await load(shop, [entry])).toMatchObject({ unmatched: [{ payment_id: null }] })
  const receipt = { id, amount: 300, booked_on: '2026-11-24', bank_reference: '2026-11-24/BANK-1' }
  await shop.orders.call(addReceipt, receipt, shop.shop.seller)
  expect(await load(shop, [entry])).toMatchObject({ unmatched: [], known: [{ amount: 300, payment_id: id }] })
})

test('a statement that has another amount than the seller entered is a conflict, and records nothing', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { paymentId: id, reference } = await buyByTransfer(shop)
  // A day later than the bank booked it, and with a space after it.
  const receipt = { id, amount: 4200, booked_on: '2026-11-25', bank_reference: ' 2026-11-24/BANK-1 ' }
  expect(await orders.call(addReceipt, receipt, seller)).toMatchObject({ bank_reference: '2026-11-24/BANK-1' })
  const known = [{ bank_reference: '2026-11-24/BANK-1', payment_id: id }]
  expect(await load(shop, [{ structured: reference }])).toMatchObject({ matched: [], unmatched: [], known, conflicting: [] })
  const conflicting = [{ amount: 420, bank_reference: '2026-11-24/BANK-1', payment_id: id }]
  const other = await load(shop, [{ amount: '4.20', structured: reference }])
  expect(other).toMatchObject({ matched: [], unmatched: [], known: [], conflicting })
  expect((await orders.call(listBankReceipts, {}, seller)).items).toMatchObject([{ amount: 4200, source: 'seller' }])
})

test('a credit whose number the seller has used for another day is a conflict, not recorded', async () => {
  await using shop = await startTransferShop()
  const { paymentId: id } = await buyByTransfer(shop)
  const receipt = { id, amount: 100, booked_on: '2026-11-25', bank_reference: '2026-11-24/BANK-1/2' }
  await shop.orders.call(addReceipt, receipt, shop.shop.seller)
  const reply = await load(shop, [{ unstructured: ['one'] }, { amount: '7.00', unstructured: ['two'] }])
  expect(reply).toMatchObject({ unmatched: [{ amount: 4200 }], conflicting: [{ amount: 700, payment_id: null }], known: [] })
  expect(await shop.orders.rows('select from bank_receipts')).toHaveLength(2)
})
