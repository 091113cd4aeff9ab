import { formatCallKey } from '../providers/call-key.ts'
import type { Answer, Intent, Money, PayerDetails, PaymentProvider, Seen } from '../providers/provider.ts'
import type { NextCall } from './next-call.ts'
import type { PaymentRequest } from './payment.ts'
import { callDeadlineMs } from './calls-in-progress.ts'

/** A call with what it sends, read from committed rows: after a crash it is the same. */
export interface PreparedCall {
  provider: PaymentProvider
  call: NextCall
  payment: { id: string; createdAt: Date; money: Money; request: PaymentRequest; theirs: string | null }
  payer: PayerDetails
}

const unreadable: Answer<never> = { unknown: 'unreadable', sent: true, retryAfterMs: null }

/** Makes a call. A call that throws, or has no answer by its deadline, may have been executed. */
export async function callProvider(prepared: PreparedCall, { leaseMs }: { leaseMs: number }): Promise<Answer<Seen> | { payer: string }> {
  const deadline = Promise.withResolvers<Answer<never>>()
  const timer = setTimeout(() => deadline.resolve({ unknown: 'timeout', sent: true, retryAfterMs: null }), callDeadlineMs(leaseMs))
  try {
    return await Promise.race([makeCall(prepared), deadline.promise])
  } catch {
    return unreadable
  } finally {
    clearTimeout(timer)
  }
}

async function makeCall({ provider, call, payment, payer }: PreparedCall): Promise<Answer<Seen> | { payer: string }> {
  const { id, request, money, theirs } = payment
  const intent: Intent = { id, kind: 'charge', money, payer: payer.payer, ...request }
  const formatKey = (step: string, number: number) => formatCallKey('pay', { id, step, number })
  if (call.step === 'payer') {
    const answer = await provider.ensurePayer(payer, formatCallKey('payer', { id: payer.id, step: 'create', number: 1 }))
    return 'got' in answer ? answer.got : answer
  }
  if (call.step === 'prepare') return provider.prepare(intent, formatKey('prepare', call.preparation))
  if (call.step === 'find' || theirs === null) return provider.findByOurId(intent, payment.createdAt)
  if (call.step === 'submit') return provider.submit(theirs, intent, formatKey('submit', call.submission))
  if (call.step === 'cancel') return provider.cancel(theirs, 'charge', formatKey('cancel', 1))
  return provider.read(theirs, 'charge')
}
