import { importStatement as contract } from '@quittance/contracts/bank-receipts'
import { Conflict, RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import type { ReplyOf } from '@quittance/contracts/operation'
import { command, type CommandContext } from '@quittance/runtime/handler'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { getCapabilities } from '../providers/provider-of.ts'
import { lockReceipts, recordReceipts, type NewReceipt } from './bank-receipt.ts'
import { TooManyCredits } from './comparison-budget.ts'
import { completeReceipts } from './complete-receipts.ts'
import { findPayments } from './find-payments.ts'
import { findRecorded } from './find-recorded.ts'
import { identifyCredits, type IdentifiedCredit } from './identify-credits.ts'
import { parseCamt } from './parse-camt.ts'
import { cutText, type StatementCredit } from './statement-credit.ts'
import { UnreadableXml } from './read-xml.ts'

type Reply = ReplyOf<typeof contract>

const findAccount = `select organization_id from payment_accounts where id = :id and organization_id = any (:scope_organizations)`

/** Records the booked credits of a statement of this account. */
export const importStatement = command(contract, async ({ id, document }, context) => {
  const [row] = await context.sql<{ organization_id: string }>('payment-account.of-statement', findAccount, { id })
  if (!row) throw new ResourceNotFound()
  const account = await loadProviderAccount(context.sql, { paymentAccountId: id, organizationId: row.organization_id })
  if (getCapabilities(account)?.direction !== 'push') throw new Conflict('Buyers send no money to this account.')
  try {
    const statements = parseCamt(document).filter(({ iban }) => iban === account.providerAccount)
    if (statements.length === 0) throw new UnreadableXml('It has no statement of this bank account.')
    await lockReceipts(context, id)
    return await recordCredits(context, { accountId: id, credits: statements.flatMap(({ credits }) => credits) })
  } catch (error) {
    if (error instanceof UnreadableXml || error instanceof TooManyCredits) throw RequestValidationError.field(['document'], error.message)
    throw error
  }
})

async function recordCredits(
  context: CommandContext,
  { accountId, credits }: { accountId: string; credits: readonly StatementCredit[] },
): Promise<Reply> {
  const booked = credits.filter(({ isReversal }) => !isReversal)
  const identified = identifyCredits(booked, await findRecorded(context, { accountId, credits: booked }))
  const completed = await completeReceipts(context, { accountId, identified })
  const added = identified.filter(({ recorded }) => recorded === null)
  const payments = await findPayments(context, { accountId, credits: added.map(({ credit }) => credit) })
  const entered = added.map(({ credit, bankReference }) => ({ ...credit, bankReference, paymentId: payments.get(credit) ?? null }))
  const made = await recordReceipts(context, { accountId, source: 'statement', receipts: entered.map(toReceipt) })
  const lines = entered.filter(({ bankReference }) => made.has(bankReference)).map((each) => toLine(each, each.paymentId))
  // The seller entered another day under a number that was free among the receipts of the statement.
  const taken = entered.filter(({ bankReference }) => !made.has(bankReference)).map((each) => toLine(each, null))
  const assigned = identified.filter(({ credit }) => completed.has(credit))
  const earlier = identified.filter(({ credit, recorded }) => recorded !== null && !completed.has(credit))
  return {
    matched: [...lines.filter((line) => line.payment_id !== null), ...assigned.map(toEarlierLine)],
    unmatched: lines.filter((line) => line.payment_id === null),
    known: earlier.filter(({ isConflict }) => !isConflict).map(toEarlierLine),
    conflicting: [...earlier.filter(({ isConflict }) => isConflict).map(toEarlierLine), ...taken],
    reversed: credits.filter(({ isReversal }) => isReversal).map((credit) => toLine(credit, null)),
  }

  function toEarlierLine({ credit, bankReference, recorded }: IdentifiedCredit) {
    return toLine({ ...credit, bankReference }, completed.get(credit) ?? recorded?.payment_id ?? null)
  }
}

function toReceipt(credit: StatementCredit & { paymentId: string | null }): NewReceipt {
  const { paymentId, amount, currency, bookedOn, bankReference, text, payerName } = credit
  return { paymentId, amount, currency, bookedOn, bankReference, reference: text, payerName }
}

/** All parts of a collective booking have its text: the receipt has all of it, and the reply this much, so that it can be sent. */
const maxLineText = 100

function toLine(credit: StatementCredit, paymentId: string | null): Reply['matched'][number] {
  return {
    bank_reference: credit.bankReference,
    amount: Number(credit.amount),
    currency: credit.currency,
    booked_on: credit.bookedOn,
    reference: credit.text && cutText(credit.text, maxLineText),
    payer_name: credit.payerName,
    payment_id: paymentId,
  }
}
