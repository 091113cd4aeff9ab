import { p } from '@mikro-orm/core'
import type { Decline } from '../providers/declines.ts'
import type { BuyerAction, Intent, Mode } from '../providers/provider.ts'
import type { FailureReason, PaymentProgress, PaymentState } from './payment-progress.ts'

/** What every call about a payment or setup sends; frozen when it starts. */
export type PaymentRequest = Omit<Intent, 'id' | 'kind' | 'money' | 'payer'>

/** Progress of a payment or setup of which nothing was sent yet. */
export const beforeFirstCall = { state: 'created', preparation: 0, submission: 0, sends: 0, checks: 0 } as const

/** Columns of payments and setups: the provider's account, what is sent there, and the progress. */
export const progressProperties = {
  /** Changes with the state, not with each check. */
  modifiedAt: p.datetime().nullable(),
  provider: p.text(),
  /** Null for the sandbox. */
  paymentAccountId: p.uuid().nullable(),
  mode: p.text().$type<Mode>(),
  paymentMethodId: p.uuid().nullable(),
  state: p.text().$type<PaymentState>(),
  request: p.json<PaymentRequest>(),
  preparation: p.integer(),
  submission: p.integer(),
  sends: p.integer(),
  firstSentAt: p.datetime().nullable(),
  sentAt: p.datetime().nullable(),
  submittedAt: p.datetime().nullable(),
  unansweredSince: p.datetime().nullable(),
  checks: p.integer(),
  nextCheckAt: p.datetime().nullable(),
  observedAt: p.datetime().nullable(),
  action: p.json<BuyerAction>().nullable(),
  actionUntil: p.datetime().nullable(),
  settledAt: p.datetime().nullable(),
  declinedAt: p.datetime().nullable(),
  declineKind: p.text().$type<Decline['kind']>().nullable(),
  declineCode: p.text().$type<Decline['code']>().nullable(),
  providerCode: p.text().nullable(),
  retryNotBefore: p.datetime().nullable(),
  failureReason: p.text().$type<FailureReason>().nullable(),
  quarantinedAt: p.datetime().nullable(),
  quarantineReason: p.text().nullable(),
  leasedUntil: p.datetime().nullable(),
  /** Trace of the request that started it. */
  traceparent: p.text().nullable(),
}

/** The part of a row in which its progress is stored. */
export interface ProgressRow {
  id: string
  createdAt: Date
  modifiedAt?: Date | null | undefined
  state: PaymentState
  preparation: number
  submission: number
  sends: number
  firstSentAt?: Date | null | undefined
  sentAt?: Date | null | undefined
  submittedAt?: Date | null | undefined
  unansweredSince?: Date | null | undefined
  checks: number
  nextCheckAt?: Date | null | undefined
  observedAt?: Date | null | undefined
  action?: BuyerAction | null | undefined
  actionUntil?: Date | null | undefined
  settledAt?: Date | null | undefined
  declinedAt?: Date | null | undefined
  declineKind?: Decline['kind'] | null | undefined
  declineCode?: Decline['code'] | null | undefined
  providerCode?: string | null | undefined
  retryNotBefore?: Date | null | undefined
  failureReason?: FailureReason | null | undefined
  quarantinedAt?: Date | null | undefined
  quarantineReason?: string | null | undefined
}

/** Returns the progress that a payment and a setup have in common. */
export function readProgress(row: ProgressRow): Omit<PaymentProgress, 'kind' | 'initiator' | 'money' | 'theirs' | 'charge'> {
  const { id, state, createdAt, preparation, submission, sends, checks } = row
  return {
    id,
    state,
    createdAt,
    preparation,
    submission,
    sends,
    checks,
    firstSentAt: row.firstSentAt ?? null,
    sentAt: row.sentAt ?? null,
    unansweredSince: row.unansweredSince ?? null,
    observedAt: row.observedAt ?? null,
    action: row.action ?? null,
    actionUntil: row.actionUntil ?? null,
    checkAfterMs: null,
    decline: readDecline(row),
    declinedAt: row.declinedAt ?? null,
    failureReason: row.failureReason ?? null,
    quarantineReason: row.quarantineReason ?? null,
    untouchedAt: null,
  }
}

/** Stores a new progress in a row. */
export function writeProgress(
  row: ProgressRow,
  progress: PaymentProgress,
  { now, nextCheckAt }: { now: Date; nextCheckAt: Date | null },
): void {
  const { state, preparation, submission, sends, firstSentAt, sentAt, unansweredSince, checks, observedAt, actionUntil } = progress
  const { action, decline, declinedAt, failureReason, quarantineReason } = progress
  if (state !== row.state) row.modifiedAt = now
  Object.assign(row, { state, preparation, submission, sends, firstSentAt, sentAt, unansweredSince, checks, observedAt, actionUntil })
  Object.assign(row, { action, declinedAt, failureReason, quarantineReason, nextCheckAt })
  row.declineKind = decline?.kind ?? null
  row.declineCode = decline?.code ?? null
  row.providerCode = decline?.providerCode ?? null
  row.retryNotBefore = decline?.notBefore ?? null
  row.submittedAt = submission > 0 ? (row.submittedAt ?? sentAt) : null
  row.settledAt = isSettledState(state) ? (row.settledAt ?? now) : null
  row.quarantinedAt = quarantineReason === null ? null : (row.quarantinedAt ?? now)
}

/** Whether a payment or setup has ended. */
export function isSettledState(state: PaymentState): boolean {
  return state === 'failed' || state === 'succeeded'
}

function readDecline({ declineKind: kind, declineCode: code, providerCode, retryNotBefore }: ProgressRow): Decline | null {
  return kind && code ? { kind, code, providerCode: providerCode ?? null, notBefore: retryNotBefore ?? null } : null
}
