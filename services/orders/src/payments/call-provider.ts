import { formatCallKey } from '../providers/call-key.ts'
import type { Payer } from '../payers/payers.ts'
import type { Answer, Intent, Money, PaymentProvider, Seen } from '../providers/provider.ts'
import type { NextCall } from './next-call.ts'
import type { PaymentRequest } from './progress-columns.ts'
import { callWithDeadline } from './calls-in-progress.ts'
import { countCall } from './count-call.ts'

/** A call with what it sends, read from committed rows: after a crash it is the same. */
export interface PreparedCall {
  provider: PaymentProvider
  call: NextCall
  /** The payment or setup; a setup has no money. */
  subject: {
    id: string
    kind: Intent['kind']
    createdAt: Date
    money: Money | null
    request: PaymentRequest
    theirs: string | null
    checks: number
  }
  payer: Payer
}

/** Makes a call; its outcome is unknown without an answer by the deadline of the lease. */
export async function callProvider(prepared: PreparedCall, { leaseMs }: { leaseMs: number }): Promise<Answer<Seen> | { payer: string }> {
  const answer = await callWithDeadline(leaseMs, () => makeCall(prepared))
  countCall({ kind: prepared.subject.kind, step: prepared.call.step }, answer)
  return answer
}

/** Attempts under one key to make a payer known: the provider may keep an error under it for a day, and another payer costs nothing. */
const attemptsPerPayerKey = 3

const keyKinds = { charge: 'pay', setup: 'setup' } as const

async function makeCall({ provider, call, subject, payer }: PreparedCall): Promise<Answer<Seen> | { payer: string }> {
  const { id, kind, request, money, theirs } = subject
  const intent: Intent = { id, kind, money, payer: payer.payer, ...request }
  const formatKey = (step: string, number: number) => formatCallKey(keyKinds[kind], { id, step, number })
  if (call.step === 'payer') {
    const number = 1 + Math.floor(subject.checks / attemptsPerPayerKey)
    // The provider keeps the answer of a key for a day: another key makes the payer again after it was deleted.
    const step = payer.version === 1 ? 'create' : `create-${payer.version}`
    const answer = await provider.ensurePayer(payer, formatCallKey('payer', { id: payer.id, step, number }))
    return 'got' in answer ? answer.got : answer
  }
  if (call.step === 'prepare') return provider.prepare(intent, formatKey('prepare', call.preparation))
  if (call.step === 'find' || theirs === null) return provider.findByOurId(intent, subject.createdAt)
  if (call.step === 'submit') return provider.submit(theirs, intent, formatKey('submit', call.submission))
  // Each check has another key: the provider may keep an error under one for a day, and canceling twice changes nothing.
  if (call.step === 'cancel') return provider.cancel(theirs, kind, formatKey('cancel', 1 + subject.checks))
  return provider.read(theirs, kind)
}
