import {
  listStuckPayments,
  recheckPayment,
  replayProviderEvents,
  resolvePayment,
  showPayment,
} from '@quittance/contracts/payment-operations'
import { readArguments, required } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { parseTime } from './parse-time.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

const options = { ...targetOptions, id: { type: 'string' } } as const

export const paymentsStuck: Command = {
  name: 'payments stuck',
  summary: 'List payments and setups in quarantine, and open ones that are older than an hour.',
  help: `Usage: npm run quittance -- payments stuck [options]

Oldest first, with the reason of a quarantine and the time of the next check. docs/payments.md describes what to do.

${targetHelp}

Example: npm run --silent quittance -- payments stuck`,
  run: (args) => printReply(readArguments(args, targetOptions), (operator) => operator.call(listStuckPayments, { limit: 500 })),
}

export const paymentsShow: Command = {
  name: 'payments show',
  summary: 'Show a payment or setup with its refunds, its entries in the ledger and its timeline.',
  help: `Usage: npm run quittance -- payments show --id ID [options]

  --id ID              the payment, or the setup of a payment method
${targetHelp}

Example: npm run --silent quittance -- payments show --id 0d4c…`,
  run(args) {
    const given = readArguments(args, options)
    const id = required('--id', given.id)
    return printReply(given, (operator) => operator.call(showPayment, { id }))
  },
}

export const paymentsRecheck: Command = {
  name: 'payments recheck',
  summary: 'Read a payment or setup at its provider now, also a settled one.',
  help: `Usage: npm run quittance -- payments recheck --id ID [options]

What is seen is recorded with all that follows: an order is paid, money that no order needs is returned, or a payment method is stored. Safe to
repeat.

  --id ID              the payment, or the setup of a payment method
${targetHelp}

Example: npm run quittance -- payments recheck --id 0d4c…`,
  run(args) {
    const given = readArguments(args, options)
    const id = required('--id', given.id)
    return printReply(given, (operator) => operator.call(recheckPayment, { id }))
  },
}

export const paymentsResolve: Command = {
  name: 'payments resolve',
  summary: 'Decide about a payment or setup in quarantine: it succeeded, or it failed.',
  help: `Usage: npm run quittance -- payments resolve --id ID --as succeeded|failed --because TEXT [--force] [options]

The provider is asked first. If it reports another state, another amount or nothing at all, the decision is rejected without --force. It is recorded in
the timeline of the payment with the reason and what the provider reported. A setup only succeeds with the method that the provider reports.

  --id ID              the payment, or the setup of a payment method
  --as STATE           succeeded: the order is paid, or the method stored; failed: the buyer can try again
  --because TEXT       why, for the timeline
  --force              decide against what the provider reports
${targetHelp}

Example: npm run quittance -- payments resolve --id 0d4c… --as failed --because "Not in the report of the provider"`,
  run(args) {
    const given = readArguments(args, { ...options, as: { type: 'string' }, because: { type: 'string' }, force: { type: 'boolean' } })
    const as = (['succeeded', 'failed'] as const).find((state) => state === required('--as', given.as))
    if (!as) throw new UsageError('--as is succeeded or failed.')
    const request = { id: required('--id', given.id), as, because: required('--because', given.because), force: given.force ?? false }
    return printReply(given, (operator) => operator.call(resolvePayment, request))
  },
}

export const paymentsReplayEvents: Command = {
  name: 'payments replay-events',
  summary: 'Read the objects of an account’s provider events since a time again.',
  help: `Usage: npm run quittance -- payments replay-events --account ID --since TIME [options]

Handled events are read again, and the list of the provider is read from that time on. An event only names the object to read, so what is recorded
already does not change. Safe to repeat.

  --account ID         the payment account
  --since TIME         a time like 2026-11-24T03:00:00Z, or an age like 2h; at most 30 days ago
${targetHelp}

Example: npm run quittance -- payments replay-events --account 0d4c… --since 2h`,
  run(args) {
    const given = readArguments(args, { ...targetOptions, account: { type: 'string' }, since: { type: 'string' } })
    const since = parseTime('--since', { text: required('--since', given.since), now: new Date() })
    const request = { account_id: required('--account', given.account), since: since.toISOString() }
    return printReply(given, (operator) => operator.call(replayProviderEvents, request))
  },
}
