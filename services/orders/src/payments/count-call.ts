import { counter } from '@quittance/runtime/metrics'
import type { Answer } from '../providers/provider.ts'

const calls = counter('payment_calls_total', 'Number of calls to payment providers, by kind of object, step and outcome.', [
  'kind',
  'step',
  'outcome',
])

/** Counts a call. The outcome is what the provider reported, why there was no answer, or which part of the configuration is wrong. */
export function countCall(
  { kind, step }: { kind: 'charge' | 'setup' | 'refund'; step: string },
  answer: Answer<object> | { payer: string },
): void {
  calls.inc({ kind, step, outcome: describeOutcome(answer) })
}

function describeOutcome(answer: Answer<object> | { payer: string }): string {
  if ('payer' in answer) return 'succeeded'
  if ('unknown' in answer) return `unknown_${answer.unknown}`
  if ('misconfigured' in answer) return `misconfigured_${answer.misconfigured}`
  if ('absent' in answer) return 'absent'
  return 'is' in answer.got ? String(answer.got.is) : 'succeeded'
}
