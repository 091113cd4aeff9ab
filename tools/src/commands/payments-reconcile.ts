import type { ReplyOf } from '@quittance/contracts/operation'
import { reconcilePayments, type ReconciledDifference } from '@quittance/contracts/payment-operations'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { parseCount, parseTime } from './parse-time.ts'
import { request, targetHelp, targetOptions } from './target-options.ts'

/** Longer than the service starts calls, and than one call can take. */
const timeoutMs = 150_000
const maxObjects = 10_000

export const paymentsReconcile: Command = {
  name: 'payments reconcile',
  summary: 'Compare the payments and refunds of an account at its provider with the rows, both ways.',
  help: `Usage: npm run quittance -- payments reconcile --account ID --since TIME [options]

Changes nothing. Prints one line for each difference with both values, then a summary. The status is 0 if all is equal, 1 if there are differences or
not everything was compared, and 2 if the provider did not answer. docs/payments.md describes what to do about a difference.

  --account ID         the payment account
  --since TIME         a time like 2026-11-24T03:00:00Z, or an age like 2h
  --until TIME         what was created later is not compared (default now)
  --limit N            most payments, and most refunds, that are listed: the newest ones (default 1000, at most ${maxObjects})
${targetHelp}

Example: npm run --silent quittance -- payments reconcile --account 0d4c… --since 7d`,
  async run(args) {
    const own = { account: { type: 'string' }, since: { type: 'string' }, until: { type: 'string' }, limit: { type: 'string' } } as const
    const given = readArguments(args, { ...targetOptions, ...own })
    const since = parseTime('--since', { text: required('--since', given.since), now: new Date() }).toISOString()
    const until = given.until === undefined ? undefined : parseTime('--until', { text: given.until, now: new Date() }).toISOString()
    const limit = given.limit === undefined ? undefined : parseCount('--limit', { text: given.limit, max: maxObjects })
    const reply = await request(given, (operator) =>
      operator.call(reconcilePayments, { account_id: required('--account', given.account), since, until, limit }, { timeoutMs }),
    )
    const { lines, isEqual } = describeReconciliation(reply, since)
    console.log(lines.join('\n'))
    process.exitCode = isEqual ? 0 : 1
  },
}

type Reconciliation = ReplyOf<typeof reconcilePayments>

/** Returns the lines of a comparison that began at `since`. What was not compared is not equal. */
export function describeReconciliation(reply: Reconciliation, since: string): { lines: string[]; isEqual: boolean } {
  const { payments, refunds, differences, total_count: count } = reply
  const lines = differences.map(describeDifference)
  if (count > differences.length) lines.push(`… and ${count - differences.length} more.`)
  const isComplete = [payments, refunds].every(({ compared_since }) => Date.parse(compared_since) <= Date.parse(since))
  for (const [name, { compared, others, in_progress, compared_since }] of Object.entries({ payments, refunds })) {
    const isPartial = Date.parse(compared_since) > Date.parse(since)
    lines.push(
      `${name}: ${compared} compared, ${in_progress} in progress, ${others} of other software` +
        (isPartial ? `; only since ${compared_since}, compare the rest with --until ${compared_since}` : ''),
    )
  }
  lines.push(count === 0 ? 'No differences.' : `${count} ${count === 1 ? 'difference' : 'differences'}.`)
  return { lines, isEqual: count === 0 && isComplete }
}

function describeDifference({ object, id, provider_id, what, at_provider, here }: ReconciledDifference): string {
  return `${object} ${id ?? '-'} (${provider_id ?? '-'}) ${what}: provider ${at_provider ?? 'nothing'}, here ${here ?? 'nothing'}`
}
