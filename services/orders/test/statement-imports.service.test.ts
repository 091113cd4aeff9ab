import { addReceipt, importStatement, listBankReceipts, markReceiptAsReturned } from '@quittance/contracts/bank-receipts'
import { RequestValidationError } from '@quittance/contracts/errors'
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

test('money recorded for one payment by hand is no credit of another in a collective booking', async () => {
  await using shop = await startTransferShop()
  const [ada, bob] = [await buyByTransfer(shop), await buyByTransfer(shop)]
  const receipt = { id: ada.paymentId, amount: 4200, booked_on: '2026-11-24', bank_reference: '2026-11-24/BANK-1' }
  await shop.orders.call(addReceipt, receipt, shop.shop.seller)
  const parts = [bob, ada].map(({ reference }) => ({ structured: reference }))
  const reply = await load(shop, [{ amount: '84.00', parts }])
  expect(reply).toMatchObject({ matched: [{ payment_id: bob.paymentId }], known: [{ payment_id: ada.paymentId }], conflicting: [] })
  for (const { orderId } of [ada, bob]) await waitForOrderStatus(shop, orderId, 'paid')
  expect(await shop.orders.rows('select count(distinct payment_id)::int, sum(amount)::int from bank_receipts')).toEqual([
    { count: 2, sum: 8400 },
  ])
})

test('a collective booking is counted once, with and without its details, whichever comes first', async () => {
  await using shop = await startTransferShop()
  const { paymentId, reference } = await buyByTransfer(shop)
  const parts = [{ structured: reference }, { unstructured: ['Invoice 7'] }]
  const build = (bankReference: string) => [{ reference: bankReference, amount: '84.00', parts }]
  const loadWhole = (bankReference: string) => {
    const document = buildCamt(build(bankReference)).replace(/<NtryDtls>.*<.NtryDtls>/s, '')
    return shop.orders.call(importStatement, { id: shop.account.id, document }, shop.shop.seller)
  }
  const none = { matched: [], unmatched: [], known: [] }
  expect(await loadWhole('A')).toMatchObject({ unmatched: [{ amount: 8400 }] })
  const conflicts = [1, 2].map(() => ({ bank_reference: '2026-11-24/A', amount: 4200, payment_id: null }))
  expect(await load(shop, build('A'))).toMatchObject({ ...none, conflicting: conflicts })
  expect(await load(shop, build('B'))).toMatchObject({ matched: [{ payment_id: paymentId }], unmatched: [{ amount: 4200 }] })
  const conflicting = [{ bank_reference: '2026-11-24/B', amount: 8400, payment_id: paymentId }]
  expect(await loadWhole('B')).toMatchObject({ ...none, conflicting })
  expect(await load(shop, build('B'))).toMatchObject({ ...none, known: [{}, {}], conflicting: [] })
  expect(await shop.orders.rows('select sum(amount)::int, max(reference) from bank_receipts where amount = 8400')).toEqual([
    { sum: 8400, max: null },
  ])
})

test('an undivided booking of several credits belongs to no payment, also if one is named', async () => {
  await using shop = await startTransferShop()
  const { reference } = await buyByTransfer(shop)
  const reply = await load(shop, [{ amount: '85.00', parts: [{ structured: reference }, {}] }])
  expect(reply).toMatchObject({ matched: [], unmatched: [{ amount: 8500, reference, payer_name: 'Ada & Sons' }] })
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

test.each([null, 'NONREF'])('half the money without a reference of the bank (%s) stays half when its text is completed', async (none) => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { paymentId, orderId, reference } = await buyByTransfer(shop)
  const half = { amount: '21.00', reference: none, structured: reference, payer: 'Ada' }
  expect(await load(shop, [half])).toMatchObject({ matched: [{ payment_id: paymentId }] })
  const known = [{ amount: 2100, payment_id: paymentId }]
  for (const changed of [{ payer: 'Ada Lovelace' }, { unstructured: ['Invoice 7'] }])
    expect(await load(shop, [{ ...half, ...changed }])).toMatchObject({ matched: [], unmatched: [], known })
  expect(await orders.rows('select amount::int from bank_receipts')).toEqual([{ amount: 2100 }])
  // The second half, of the same day, is the other of two.
  expect(await load(shop, [half, { ...half, payer: 'Bob' }])).toMatchObject({ matched: [{ amount: 2100 }], known })
  await waitForOrderStatus(shop, orderId, 'paid')
})

test('a receipt that named no payment pays its order once the bank has completed its text, and only once', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { paymentId, orderId, reference } = await buyByTransfer(shop)
  expect(await load(shop, [{ unstructured: ['Thanks'], payer: 'Ada' }])).toMatchObject({ unmatched: [{ payment_id: null }] })
  const completed = { unstructured: ['Thanks'], structured: reference, payer: 'Ada Lovelace' }
  const line = { bank_reference: '2026-11-24/BANK-1', payment_id: paymentId, payer_name: 'Ada Lovelace' }
  expect(await load(shop, [completed])).toMatchObject({ matched: [line], unmatched: [], known: [] })
  await waitForOrderStatus(shop, orderId, 'paid')
  const { items } = await orders.call(listBankReceipts, {}, seller)
  expect(items).toMatchObject([
    { payment_id: paymentId, payer_name: 'Ada Lovelace', reference: `${reference} Thanks`, unapplied_amount: 0 },
  ])
  expect(await load(shop, [completed])).toMatchObject({ matched: [], unmatched: [], known: [line] })
  expect((await orders.call(listBankReceipts, {}, seller)).items).toEqual(items)
})

test('a completed text changes no receipt that a person assigned or returned, and an older one no receipt at all', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const [ada, bob] = [await buyByTransfer(shop), await buyByTransfer(shop)]
  const entries = ['assigned', 'returned', 'open'].map((text) => ({ reference: text, unstructured: [text], amount: '3.00' }))
  await load(shop, entries)
  const receipt = { id: ada.paymentId, amount: 300, booked_on: '2026-11-24', bank_reference: '2026-11-24/assigned' }
  await orders.call(addReceipt, receipt, seller)
  const { items } = await orders.call(listBankReceipts, {}, seller)
  const id = items.find(({ reference }) => reference === 'returned')?.id ?? ''
  await orders.call(markReceiptAsReturned, { id }, seller)
  const completed = entries.map((entry, index) => ({ ...entry, structured: index < 2 ? bob.reference : 'A-7' }))
  const known = [{ payment_id: ada.paymentId }, { payment_id: null }, { payment_id: null }]
  for (const each of [completed, entries]) expect(await load(shop, each)).toMatchObject({ matched: [], unmatched: [], known })
  expect(await orders.rows('select reference, payment_id from bank_receipts order by reference')).toEqual([
    { reference: 'A-7 open', payment_id: null },
    { reference: 'assigned', payment_id: ada.paymentId },
    { reference: 'returned', payment_id: null },
  ])
})

test('a credit with another payer is recorded beside one without payer and text, and pays its order', async () => {
  await using shop = await startTransferShop()
  const { paymentId, orderId, reference } = await buyByTransfer(shop)
  const [empty, bob] = [
    { payer: '', reference: null },
    { payer: 'Bob', structured: reference, reference: null },
  ]
  await load(shop, [empty])
  expect(await load(shop, [bob])).toMatchObject({ matched: [{ payment_id: paymentId }], known: [] })
  expect(await load(shop, [empty, bob])).toMatchObject({ matched: [], unmatched: [], known: [{}, {}] })
  await waitForOrderStatus(shop, orderId, 'paid')
})

test('under one reference of the bank, each of two credits is recorded, the first without payer and text', async () => {
  await using shop = await startTransferShop()
  const { paymentId, orderId, reference } = await buyByTransfer(shop)
  const bob = { payer: 'Bob', structured: reference }
  await load(shop, [{ payer: '' }])
  expect(await load(shop, [bob])).toMatchObject({ matched: [{ payment_id: paymentId }] })
  expect(await load(shop, [bob, { payer: '' }])).toMatchObject({ unmatched: [{ payer_name: null }], known: [{ payment_id: paymentId }] })
  await waitForOrderStatus(shop, orderId, 'paid')
})

test('statements of an account that are imported at the same time record each credit under its own number', async () => {
  await using shop = await startTransferShop()
  const transfers = await Promise.all(Array.from({ length: 8 }, () => buyByTransfer(shop)))
  const replies = await Promise.all(transfers.map(({ reference }, index) => load(shop, [{ structured: reference, payer: `P${index}` }])))
  expect(replies.map(({ matched }) => matched.map(({ payment_id }) => payment_id))).toEqual(transfers.map(({ paymentId }) => [paymentId]))
  for (const { orderId } of transfers) await waitForOrderStatus(shop, orderId, 'paid')
})

test('a statement that takes too many comparisons is 422, and nothing of it is recorded', async () => {
  await using shop = await startTransferShop()
  const build = (text: string) => Array.from({ length: 900 }, (_, index) => ({ unstructured: [`${text}${index}`], payer: '' }))
  expect((await load(shop, build('x'))).unmatched).toHaveLength(900)
  await expect(load(shop, build('y'))).rejects.toThrow(RequestValidationError)
  expect((await load(shop, build('x'))).known).toHaveLength(900)
  expect(await shop.orders.rows('select count(*)::int from bank_receipts')).toEqual([{ count: 900 }])
})

test('a statement of thousands of parts with a long text gets a reply, and its receipts the text', async () => {
  await using shop = await startTransferShop()
  const parts = Array.from({ length: 4_000 }, () => ({ amount: '1.00', payer: '' }))
  const common = '\u20ac'.repeat(900)
  const build = (text: string) =>
    buildCamt([{ amount: '4000.00', parts }])
      .replace('<NtryDtls>', `<AddtlNtryInf>${text}</AddtlNtryInf><NtryDtls>`)
      .replaceAll(/<(Refs|RltdPties|RmtInf)>.*?<.\1>\n?/gs, '')
  const { unmatched } = await shop.orders.call(importStatement, { id: shop.account.id, document: build(common) }, shop.shop.seller)
  expect(unmatched).toHaveLength(4_000)
  expect(unmatched[0]?.reference).toBe(common.slice(0, 100))
  expect(await shop.orders.rows('select distinct reference from bank_receipts')).toEqual([{ reference: common }])
})
