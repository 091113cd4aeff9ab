import { addReceipt, importStatement, markReceiptAsReturned } from '@quittance/contracts/bank-receipts'
import { connectTo } from '@quittance/testing/database'
import { expect, test } from 'vitest'
import { buildCamt, type TestEntry } from './camt.ts'
import { buyByTransfer, startTransferShop, waitForOrderStatus, type Transfer, type TransferShop } from './transfer-shop.ts'
import { waitForLocks } from './wait-for-rows.ts'

const load = ({ orders, shop, account }: TransferShop, entry: TestEntry) =>
  orders.call(importStatement, { id: account.id, document: buildCamt([entry]) }, shop.seller)

const unnamed = { unstructured: ['Thanks'] }

const waysToPay: [string, (shop: TransferShop, of: Transfer) => Promise<unknown>][] = [
  ['the import of a new credit', (shop, { reference }) => load(shop, { structured: reference })],
  ['the import of a completed credit', (shop, { reference }) => load(shop, { ...unnamed, structured: reference })],
  [
    'the assignment of a receipt',
    ({ orders, shop }, { paymentId: id }) => {
      const receipt = { id, amount: 4200, booked_on: '2026-11-24', bank_reference: '2026-11-24/BANK-1' }
      return orders.call(addReceipt, receipt, shop.seller)
    },
  ],
]

test.each(waysToPay)('%s waits for the settlement of its payment without a deadlock', async (name, pay) => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const transfer = await buyByTransfer(shop)
  if (!name.includes('new')) await load(shop, unnamed)
  // As a settlement does: it takes the lease of the payment, and then locks all of the row. It finds a deadlock first.
  const settlement = await connectTo(orders.databaseUrl ?? '')
  const lock = (strength: string) => `select from payments where id = '${transfer.paymentId}' for ${strength}`
  await settlement.query(`begin; set local deadlock_timeout = '50ms'; ${lock('no key update')}`)
  const paid = pay(shop, transfer)
  await waitForLocks(orders, 1)
  const results = await Promise.allSettled([settlement.query(`${lock('update')}; commit`), paid])
  await settlement.end()
  expect(results).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
  await waitForOrderStatus(shop, transfer.orderId, 'paid')
})

/** Runs two calls that both wait for the transaction which `sql` begins, and returns their results. */
async function runTogether<T>({ orders }: TransferShop, call: () => Promise<T>, sql: string): Promise<T[]> {
  const release = await orders.holdTransaction(sql)
  const calls = Promise.all([call(), call()])
  await waitForLocks(orders, 2)
  await release()
  return calls
}

test('a receipt that is recorded twice at once is one', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { paymentId: id } = await buyByTransfer(shop)
  const receipt = { id, amount: 100, booked_on: '2026-11-24', bank_reference: 'BANK-1' }
  const add = () => orders.call(addReceipt, receipt, shop.shop.seller)
  const [first, second] = await runTogether(shop, add, `select from payments where id = '${id}' for update`)
  expect(second?.id).toBe(first?.id)
  expect(await orders.rows('select amount::int from bank_receipts')).toEqual([{ amount: 100 }])
})

test('a receipt that is marked as returned twice at once is returned once', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  await load(shop, unnamed)
  const [{ id } = { id: '' }] = await orders.rows<{ id: string }>('select id from bank_receipts')
  const mark = () => orders.call(markReceiptAsReturned, { id }, shop.shop.seller)
  const [first, second] = await runTogether(shop, mark, 'select from bank_receipts for update')
  expect(first).toMatchObject({ unapplied_amount: 0, returned_amount: 4200 })
  expect(second).toEqual(first)
})
