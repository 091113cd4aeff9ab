import { addReceipt as contract } from '@quittance/contracts/bank-receipts'
import { Conflict } from '@quittance/contracts/errors'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { Payment } from '../payments/payment.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { getCapabilities } from '../providers/provider-of.ts'
import { assertNotBeingApplied, bankReceiptView, checkPayments, lockPayments, lockReceipts, recordReceipts } from './bank-receipt.ts'

const find = `
  select id, payment_id, amount::text, currency, returned_at is not null as is_returned from bank_receipts
  where payment_account_id = :account and bank_reference = :reference and organization_id = any (:scope_organizations)`

const assign = `
  update bank_receipts b set payment_id = :payment, modified_at = now(), version = version + 1
  where b.id = :id and b.organization_id = any (:scope_organizations)
    and (b.payment_id is null or may_move_receipt(b, :payment::uuid))
  returning b.id`

/**
 * Records what arrived for a payment. A receipt of a statement that names no payment is assigned, and one of which its payment took nothing
 * before it ended.
 */
export const addReceipt = command(contract, async ({ id, amount, booked_on, bank_reference, note }, context) => {
  const payment = await context.em.findOneOrFail(Payment, id)
  const account = await loadProviderAccount(context.sql, payment)
  if (account.id === null || getCapabilities(account)?.direction !== 'push')
    throw new Conflict(`Payment ${id} is not one by bank transfer.`)
  await lockReceipts(context, account.id)
  const known = await assignKnown(context, { payment, accountId: account.id, amount: BigInt(amount), reference: bank_reference })
  const receiptId = known ?? (await record())
  return context.read.one(bankReceiptView, { where: 'b.id = :id', values: { id: receiptId } })

  async function record(): Promise<string> {
    const receipt = { paymentId: id, amount: BigInt(amount), currency: payment.currency, bookedOn: booked_on, payerName: null }
    const made = await recordReceipts(context, {
      accountId: account.id as string,
      source: 'seller',
      receipts: [{ ...receipt, bankReference: bank_reference, reference: note ?? null }],
    })
    return made.get(bank_reference) as string
  }
})

interface KnownReceipt {
  id: string
  payment_id: string | null
  amount: string
  currency: string
  is_returned: boolean
}

interface Assignment {
  payment: Payment
  accountId: string
  amount: bigint
  reference: string
}

/** Returns the id of a known receipt, now of this payment; null if there is none. Throws if it is another one. */
async function assignKnown(context: CommandContext, { payment, accountId, amount, reference }: Assignment): Promise<string | null> {
  const { sql } = context
  const [known] = await sql<KnownReceipt>('bank-receipt.find', find, { account: accountId, reference })
  if (!known) return null
  const { id, payment_id: before } = known
  const isOther = new Conflict(`The receipt ${reference} is of another payment, amount or currency.`)
  if (BigInt(known.amount) !== amount || known.currency !== payment.currency) throw isOther
  if (before === payment.id) return id
  if (known.is_returned) throw new Conflict(`The receipt ${reference} was returned.`)
  await lockPayments(context, [payment.id, ...(before === null ? [] : [before])])
  if (before !== null) await assertNotBeingApplied(context, known)
  const assigned = await sql('bank-receipt.assign', assign, { id, payment: payment.id })
  if (assigned.length === 0) throw isOther
  await checkPayments(context, [payment.id])
  return id
}
