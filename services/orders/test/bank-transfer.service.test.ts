import { randomUUID } from 'node:crypto'
import { addReceipt, importStatement, listBankReceipts, markRefundAsPaid } from '@quittance/contracts/bank-receipts'
import { confirmCheckout, createCheckout, getCheckout } from '@quittance/contracts/checkouts'
import { Conflict, NotPermitted, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import {
  checkPaymentAccount,
  createPaymentAccount,
  deletePaymentAccount,
  listPaymentAccounts,
  updatePaymentAccount,
} from '@quittance/contracts/payment-accounts'
import { createProduct } from '@quittance/contracts/products'
import { createRefund, listRefunds } from '@quittance/contracts/refunds'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildCamt, testIban } from './camt.ts'
import { asThisRelease } from './money.ts'
import { bankAccount, buyByTransfer, readBalance, startTransferShop, waitForOrderStatus, type TransferShop } from './transfer-shop.ts'

const booked_on = '2026-11-24'

function receive({ orders, shop }: TransferShop, id: string, [amount, bank_reference]: [number, string]) {
  return orders.call(addReceipt, { id, amount, booked_on, bank_reference }, shop.seller)
}

test('an order by transfer with a trial that needs a payment method is 422 and writes nothing; without the trial it is placed', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const prices = [{ amount_type: 'fixed' as const, price_amount: 1000, price_currency: 'eur' as const }]
  const trial = { trial_interval: 'month' as const, trial_interval_count: 1 }
  const plan = await orders.call(createProduct, { name: 'Plan', recurring_interval: 'month', prices, ...trial }, shop.shop.seller)
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id] }, shop.shop.seller)
  const buyer = { client_secret, customer_email: 'ada@example.com', customer_billing_address: { country: 'GB' as const } }
  for (const by of [{ payment_method_type: 'bank_transfer' as const }, {}]) {
    const rejected = await orders.call(confirmCheckout, { ...buyer, ...by }, { kind: 'anonymous' }).catch((error: unknown) => error)
    expect(rejected).toBeInstanceOf(RequestValidationError)
    expect(rejected).toMatchObject({ body: { detail: [{ loc: ['body', 'allow_trial'], type: 'trial_needs_payment_method' }] } })
  }
  for (const table of ['orders', 'subscriptions', 'payments', 'payment_setups', 'trial_redemptions'])
    expect(await orders.rows(`select from ${table}`)).toEqual([])
  const confirmation = { ...buyer, payment_method_type: 'bank_transfer' as const, allow_trial: false as const }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  expect(await orders.rows('select amount::int, state from payments')).toEqual([{ amount: 1000, state: 'requires_action' }])
})

test('a confirmation names the account, the reference and the code, and keeps the payment pending', async () => {
  await using shop = await startTransferShop()
  const { metadata, checkoutId, paymentId } = await buyByTransfer(shop)
  expect(metadata).toMatchObject({
    beneficiary: 'Acme Books Ltd',
    iban: testIban,
    bic: 'COBADEFFXXX',
    amount: '4200',
    currency: 'eur',
    bank_transfer: 'available',
    intent_status: 'requires_action',
    reference: expect.stringMatching(/^RF\d\d[0-9A-Z]{12}$/),
  })
  expect(metadata['epc']?.split('\n')).toEqual([
    'BCD',
    '002',
    '1',
    'SCT',
    'COBADEFFXXX',
    'Acme Books Ltd',
    testIban,
    'EUR42.00',
    '',
    metadata['reference'],
  ])
  const days = (Date.parse(metadata['due_date'] ?? '') - Date.now()) / 86_400_000
  expect(Math.abs(days - 14)).toBeLessThan(1.1)
  const checkout = await shop.orders.call(getCheckout, { id: checkoutId }, shop.shop.seller)
  expect(checkout.status).toBe('confirmed')
  expect(JSON.stringify(checkout.payment_processor_metadata)).not.toContain(testIban)
  const [row] = await shop.orders.rows('select state, provider, sends from payments where id = $1', [paymentId])
  expect(row).toMatchObject({ state: 'requires_action', provider: 'bank_transfer' })
})

test('two receipts pay an order with the second; what is over stays unapplied [payments 61]', async () => {
  await using shop = await startTransferShop()
  const { paymentId, orderId } = await buyByTransfer(shop)
  expect(await receive(shop, paymentId, [4_000, 'a'])).toMatchObject({ payment_id: paymentId, amount: 4_000, source: 'seller' })
  await eventually(async () => {
    const rows = await shop.orders.rows('select id from payments where next_check_at <= now() or leased_until is not null')
    expect(rows).toEqual([])
  })
  await waitForOrderStatus(shop, orderId, 'pending')
  expect(await readBalance(shop, 'unapplied')).toBe(4_000)
  await receive(shop, paymentId, [500, 'b'])
  await waitForOrderStatus(shop, orderId, 'paid')
  expect([await readBalance(shop, 'provider'), await readBalance(shop, 'order'), await readBalance(shop, 'unapplied')]).toEqual([
    -4_500, 4_200, 300,
  ])
})

test('the same statement twice: everything is known, and nothing is counted twice [payments 62]', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { reference, orderId, paymentId } = await buyByTransfer(shop)
  const document = buildCamt([
    { structured: reference },
    { amount: '7.00', unstructured: ['Hello'], reference: 'BANK-2' },
    { reference: 'BANK-3', isReversal: true, direction: 'DBIT' },
  ])
  const load = () => orders.call(importStatement, { id: account.id, document }, shop.shop.seller)
  expect(await load()).toMatchObject({
    matched: [{ payment_id: paymentId, amount: 4200, payer_name: 'Ada & Sons', bank_reference: '2026-11-24/BANK-1' }],
    unmatched: [{ amount: 700, payment_id: null }],
    known: [],
    reversed: [{ bank_reference: '2026-11-24/BANK-3' }],
  })
  await waitForOrderStatus(shop, orderId, 'paid')
  expect(await load()).toMatchObject({ matched: [], unmatched: [], known: [{ amount: 4200 }, { amount: 700 }], reversed: [{}] })
  expect(await readBalance(shop, 'provider')).toBe(-4_900)
  expect(await readBalance(shop, 'unapplied')).toBe(700)
  const { items } = await orders.call(listBankReceipts, { is_matched: false }, shop.shop.seller)
  expect(items).toMatchObject([{ amount: 700, payment_id: null, reference: 'Hello', source: 'statement' }])
})

test('a reference split by spaces matches; another IBAN or currency does not [payments 63]', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  const transfer = await buyByTransfer(shop)
  const spaced = transfer.reference.toLowerCase().replaceAll(/(.{4})/g, '$1 ')
  const load = (document: string) => orders.call(importStatement, { id: account.id, document }, seller)
  const text = [`Thanks! ${spaced.slice(0, 9)}`, `${spaced.slice(9)} Ada`]
  await expect(load(buildCamt([{ unstructured: text }], { iban: 'GB82WEST12345698765432' }))).rejects.toThrow(RequestValidationError)
  expect(await load(buildCamt([{ unstructured: text, currency: 'CHF', reference: 'X' }]))).toMatchObject({ matched: [], unmatched: [{}] })
  const other = await buyByTransfer(shop)
  const both = await load(buildCamt([{ unstructured: [transfer.reference, other.reference], reference: 'Y' }]))
  expect(both).toMatchObject({ matched: [], unmatched: [{}] })
  expect(await load(buildCamt([{ unstructured: text, reference: 'Z' }], { version: '08' }))).toMatchObject({ matched: [{}] })
  await waitForOrderStatus(shop, transfer.orderId, 'paid')
  await waitForOrderStatus(shop, other.orderId, 'pending')
})

test('a document type, another format or a megabyte is 422, and nothing is written [payments 64]', async () => {
  await using shop = await startTransferShop()
  const load = (document: string) => shop.orders.call(importStatement, { id: shop.account.id, document }, shop.shop.seller)
  const bomb = `<!DOCTYPE d [<!ENTITY a "${'x'.repeat(1_000)}">]>`
  for (const document of [
    buildCamt([{}], { prolog: bomb }),
    'x'.repeat(1_000_000),
    '<a>'.repeat(9_000),
    '{}',
    buildCamt([{ amount: '-1' }]),
  ])
    await expect(load(document)).rejects.toThrow(RequestValidationError)
  expect(await shop.orders.rows('select id from bank_receipts')).toEqual([])
})

test('a long text is cut between characters, and a date that cannot be stored is 422', async () => {
  await using shop = await startTransferShop()
  const { seller } = shop.shop
  const load = (document: string) => shop.orders.call(importStatement, { id: shop.account.id, document }, seller)
  const entry = { unstructured: [`${'x'.repeat(999)}😀`], payer: `${'x'.repeat(139)}😀` }
  expect(await load(buildCamt([entry]))).toMatchObject({ unmatched: [{ reference: 'x'.repeat(100), payer_name: 'x'.repeat(139) }] })
  expect(await shop.orders.rows('select reference from bank_receipts')).toEqual([{ reference: 'x'.repeat(999) }])
  await expect(load(buildCamt([{}]).replace('>2026-11-24<', '>0000-01-01<'))).rejects.toThrow(RequestValidationError)
  const { paymentId: id } = await buyByTransfer(shop)
  const receipt = { id, amount: 1, booked_on: '0000-01-01', bank_reference: 'a' }
  await expect(shop.orders.call(addReceipt, receipt, seller)).rejects.toThrow(RequestValidationError)
})

test('a receipt without a payment is assigned by its reference, once and with its amount', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  const another = await buyByTransfer(shop)
  await orders.call(importStatement, { id: account.id, document: buildCamt([{ unstructured: ['no reference'] }]) }, seller)
  const reference = '2026-11-24/BANK-1'
  await expect(receive(shop, paymentId, [4_100, reference])).rejects.toThrow(Conflict)
  expect(await receive(shop, paymentId, [4_200, reference])).toMatchObject({ payment_id: paymentId, source: 'statement' })
  expect(await receive(shop, paymentId, [4_200, reference])).toMatchObject({ payment_id: paymentId })
  await expect(receive(shop, another.paymentId, [4_200, reference])).rejects.toThrow(Conflict)
  await waitForOrderStatus(shop, orderId, 'paid')
  expect(await readBalance(shop, 'provider')).toBe(-4_200)
  const change = `update bank_receipts set payment_id = '${another.paymentId}'`
  await expect(asThisRelease(orders, change)).rejects.toThrow('only assigned to a payment, once')
})

test('money that arrives after the time is over still pays its order', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  await asThisRelease(orders, `update payments set action_until = now() - interval '1 day', next_check_at = now()`)
  await eventually(async () => expect(await orders.rows('select state from payments')).toEqual([{ state: 'failed' }]))
  await receive(shop, paymentId, [4_200, 'late'])
  await waitForOrderStatus(shop, orderId, 'paid')
  expect(await readBalance(shop, 'unapplied')).toBe(0)
})

test('a refund is pending until the seller has returned the money', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller } = shop.shop
  const { paymentId, orderId } = await buyByTransfer(shop)
  await receive(shop, paymentId, [4_200, 'a'])
  await waitForOrderStatus(shop, orderId, 'paid')
  const refund = await orders.call(createRefund, { order_id: orderId, reason: 'customer_request', amount: 1_000 }, seller)
  expect(refund.status).toBe('pending')
  await orders.call(markRefundAsPaid, { id: refund.id }, seller)
  await eventually(async () => {
    const { items } = await orders.call(listRefunds, {}, seller)
    expect(items).toMatchObject([{ id: refund.id, status: 'succeeded' }])
  })
  expect(await readBalance(shop, 'provider')).toBe(-3_200)
  await expect(orders.call(markRefundAsPaid, { id: refund.id }, organizationCaller(randomUUID()))).rejects.toThrow(ResourceNotFound)
})

test('only transfers have receipts, and only those of the own organization', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const transfer = await buyByTransfer(shop)
  const stranger = organizationCaller(randomUUID())
  const receipt = { id: transfer.paymentId, amount: 4_200, booked_on, bank_reference: 'a' }
  await expect(orders.call(addReceipt, receipt, stranger)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(importStatement, { id: account.id, document: buildCamt([{}]) }, stranger)).rejects.toThrow(ResourceNotFound)
  expect((await orders.call(listBankReceipts, {}, stranger)).items).toEqual([])
  const { order, seller } = await orders.paidOrder({ billed: false })
  const [card] = await orders.rows<{ id: string }>('select id from payments where order_id = $1', [order.id])
  await expect(orders.call(addReceipt, { ...receipt, id: card?.id ?? '' }, seller)).rejects.toThrow(Conflict)
  await expect(receive(shop, transfer.paymentId, [-1, 'b'])).rejects.toThrow(RequestValidationError)
  const refund = await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 1 }, seller)
  await expect(orders.call(markRefundAsPaid, { id: refund.id }, seller)).rejects.toThrow(Conflict)
  expect(await orders.rows('select id from bank_receipts')).toEqual([])
})

test('a bank account has no credentials, and is connected once', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  expect(account).toMatchObject({
    provider_account: testIban,
    is_default: false,
    secret_key_last4: '',
    bank: { ...bankAccount, due_days: 14 },
  })
  const create = (request: object) => orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'live', ...request }, seller)
  for (const wrong of [{}, { bank: bankAccount }, { bank: { ...bankAccount, iban: 'DE00370400440532013000' } }])
    await expect(create(wrong)).rejects.toThrow(RequestValidationError)
  await expect(create({ bank: bankAccount, secret_key: 'rk_test_12345678' })).rejects.toThrow(NotPermitted)
  await expect(orders.call(checkPaymentAccount, { id: account.id }, seller)).rejects.toThrow(NotPermitted)
  await expect(orders.call(updatePaymentAccount, { id: account.id, webhook_secret: 'whsec_12345678' }, seller)).rejects.toThrow(
    NotPermitted,
  )
  const stripe = { provider: 'stripe', mode: 'test', bank: bankAccount, secret_key: 'rk_test_12345678' } as const
  await expect(orders.call(createPaymentAccount, stripe, seller)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(createPaymentAccount, { provider: 'stripe', mode: 'test' }, seller)).rejects.toThrow(RequestValidationError)
})

test('a bank account that received money is not deleted, and takes no new payments', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  await orders.call(importStatement, { id: account.id, document: buildCamt([{}]) }, seller)
  await orders.call(deletePaymentAccount, { id: account.id }, seller)
  expect((await orders.call(listPaymentAccounts, {}, seller)).items).toMatchObject([{ id: account.id, status: 'draining' }])
  expect((await orders.call(listBankReceipts, {}, seller)).items).toMatchObject([{ payment_account_id: account.id }])
})

test('money of a checkout in another currency than the bank account is not asked for', async () => {
  await using shop = await startTransferShop()
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200 }]
  const inDollars = await shop.orders.call(createProduct, { name: 'Guide', recurring_interval: null, prices }, shop.shop.seller)
  await expect(buyByTransfer(shop, inDollars)).rejects.toThrow('cannot take payments')
  expect(await shop.orders.rows('select from orders')).toEqual([])
})

test('each checkout is paid to the bank account of its currency', async () => {
  await using shop = await startTransferShop()
  const { orders } = shop
  const { seller, product } = shop.shop
  const bank = { ...bankAccount, iban: 'GB82WEST12345698765432', currency: 'usd' } as const
  await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'live', bank }, seller)
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200 }]
  const inDollars = await orders.call(createProduct, { name: 'Guide', recurring_interval: null, prices }, seller)
  expect((await buyByTransfer(shop, inDollars)).metadata).toMatchObject({ iban: bank.iban, currency: 'usd' })
  expect((await buyByTransfer(shop, product)).metadata).toMatchObject({ iban: testIban, currency: 'eur' })
})

test('a default bank account leaves checkouts in another currency to the account of theirs', async () => {
  await using shop = await startTransferShop()
  const { orders, account } = shop
  const { seller } = shop.shop
  await orders.call(updatePaymentAccount, { id: account.id, is_default: true }, seller)
  const prices = [{ amount_type: 'fixed' as const, price_amount: 4200 }]
  const inDollars = await orders.call(createProduct, { name: 'Guide', recurring_interval: null, prices }, seller)
  await expect(buyByTransfer(shop, inDollars, {})).rejects.toThrow('cannot take payments')
  expect(await orders.rows('select from orders')).toEqual([])
  const bank = { ...bankAccount, iban: 'GB82WEST12345698765432', currency: 'usd' } as const
  await orders.call(createPaymentAccount, { provider: 'bank_transfer', mode: 'live', bank }, seller)
  expect((await buyByTransfer(shop, inDollars, {})).metadata).toMatchObject({ iban: bank.iban, currency: 'usd' })
})
