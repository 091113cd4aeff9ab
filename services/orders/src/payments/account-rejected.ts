import type { Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import type { CallOutcome } from './record-answer.ts'

/** A provider rejects an account or its key, not a single request. */
export interface RejectedAccount {
  paymentAccountId: string
  /** For the seller; contains no secret. */
  detail: string
}

export const afterAccountRejected = reactionPoint<RejectedAccount>('orders.payment.account-rejected')

const ofAccount: ReadonlySet<string> = new Set(['credentials', 'permission', 'account', 'mode', 'feature'])

/** Reports an answer that concerns the whole account. The sandbox has none. */
export async function reportIfRejected(
  { react }: Transaction,
  { paymentAccountId, answer }: { paymentAccountId: string | null; answer: CallOutcome },
): Promise<void> {
  if (paymentAccountId === null || !answer || !('misconfigured' in answer) || !ofAccount.has(answer.misconfigured)) return
  await react(afterAccountRejected, { paymentAccountId, detail: answer.detail })
}
