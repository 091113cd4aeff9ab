import { importStatement as contract } from '@quittance/contracts/bank-receipts'
import { Conflict, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import type { ReplyOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { getCapabilities } from '../providers/provider-of.ts'
import { lockReceipts, recordReceipts } from './bank-receipt.ts'
import { findPayments } from './find-payments.ts'
import { identifyCredits, type RecordedReceipt } from './identify-credits.ts'
import { parseCamt, type StatementCredit } from './parse-camt.ts'
import { UnreadableXml } from './read-xml.ts'

type Reply = ReplyOf<typeof contract>

const findAccount = `select organization_id from payment_accounts where id = :id and organization_id = any (:scope_organizations)`

/** Records the booked credits of a statement of this account. */
export const importStatement = command(contract, async ({ id, document }, context) => {
  const [row] = await context.sql<{ organization_id: string }>('payment-account.of-statement', findAccount, { id })
  if (!row) throw new ResourceNotFound()
  const account = await loadProviderAccount(context.sql, { paymentAccountId: id, organizationId: row.organization_id })
  if (getCapabilities(account)?.direction !== 'push') throw new Conflict('Buyers send no money to this account.')
  const statements = readStatements(document).filter(({ iban }) => iban === account.providerAccount)
  if (statements.length === 0) throw createDocumentError('It has no statement of this bank account.')
  await lockReceipts(context, id)
  const credits = statements.flatMap((statement) => statement.credits)
  return recordCredits(context, { accountId: id, credits })
})

function readStatements(document: string) {
  try {
    return parseCamt(document)
  } catch (error) {
    if (error instanceof UnreadableXml) throw createDocumentError(error.message)
    throw error
  }
}

function createDocumentError(message: string): RequestValidationError {
  return RequestValidationError.field(['document'], message)
}

async function recordCredits(
  context: CommandContext,
  { accountId, credits }: { accountId: string; credits: readonly StatementCredit[] },
): Promise<Reply> {
  const booked = credits.filter(({ isReversal }) => !isReversal)
  const identified = identifyCredits(booked, await findRecorded(context, { accountId, credits: booked }))
  const added = identified.filter(({ recorded }) => recorded === null)
  const payments = await findPayments(context, { accountId, credits: added.map(({ credit }) => credit) })
  const receipts = added.map(({ credit, bankReference }) => ({
    ...credit,
    bankReference,
    reference: credit.text,
    paymentId: payments.get(credit) ?? null,
  }))
  const made = await recordReceipts(context, { accountId, source: 'statement', receipts })
  const lines = receipts.filter(({ bankReference }) => made.has(bankReference)).map((receipt) => toLine(receipt, receipt.paymentId))
  // The seller entered another day under a number that was free among the receipts of the statement.
  const taken = receipts.filter(({ bankReference }) => !made.has(bankReference)).map((receipt) => toLine(receipt, null))
  const earlier = (isConflict: boolean) =>
    identified
      .filter(({ recorded, ...each }) => recorded !== null && each.isConflict === isConflict)
      .map(({ credit, bankReference, recorded }) => toLine({ ...credit, bankReference }, recorded?.payment_id ?? null))
  return {
    matched: lines.filter((line) => line.payment_id !== null),
    unmatched: lines.filter((line) => line.payment_id === null),
    known: earlier(false),
    conflicting: [...earlier(true), ...taken],
    reversed: credits.filter(({ isReversal }) => isReversal).map((credit) => toLine(credit, null)),
  }
}

const selectRecorded = `
  select bank_reference, amount::text, currency, reference, payer_name, payment_id, source from bank_receipts
  where payment_account_id = :account and organization_id = any (:scope_organizations)
    and (booked_on = any (:days) or bank_reference = any (:references))`

/** Finds the receipts that credits may be. One of the seller has the day that the seller entered. */
function findRecorded(
  { sql }: CommandContext,
  { accountId, credits }: { accountId: string; credits: readonly StatementCredit[] },
): Promise<RecordedReceipt[]> {
  return sql<RecordedReceipt>('bank-receipts.find-recorded', selectRecorded, {
    account: accountId,
    days: [...new Set(credits.map(({ bookedOn }) => bookedOn))],
    references: [...new Set(credits.map(({ bankReference }) => bankReference))],
  })
}

function toLine(credit: StatementCredit, paymentId: string | null): Reply['matched'][number] {
  return {
    bank_reference: credit.bankReference,
    amount: Number(credit.amount),
    currency: credit.currency,
    booked_on: credit.bookedOn,
    reference: credit.text,
    payer_name: credit.payerName,
    payment_id: paymentId,
  }
}
