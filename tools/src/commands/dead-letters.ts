import { deadLetterOperations } from '@quittance/contracts/dead-letters'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { withOperator, type Operator } from '../operator.ts'
import { readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { operatorAccess, targetHelp, targetOptions } from './target-options.ts'
import { reachableDatabases, listFailedInvoices } from './failed-invoices.ts'

export const deadLetters: Command = {
  name: 'dead-letters',
  summary: 'List what failed in all attempts: events that a consumer could not handle, and invoices that could not be generated.',
  help: `Usage: npm run quittance -- dead-letters [options]

For orders, invoices, webhooks, mail and usage: the events that a consumer failed to handle in all attempts, with the reason, oldest first. Invoices that
could not be rendered are listed if their database is reachable: that of a local instance, or DATABASE_URL_INVOICES. Failed webhook
deliveries belong to their sellers: GET /v1/webhooks/deliveries.
docs/operations.md describes how to resolve each of them; replay repeats them.

${targetHelp}

Example: npm run --silent quittance -- dead-letters`,
  async run(args) {
    const options = readArguments(args, targetOptions)
    const listed = await withOperator(operatorAccess(options), async (operator) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(deadLetterOperations).map(
            async ([service, { list }]) => [service, await listDeadLetters(operator, list)] as const,
          ),
        ),
      ),
    )
    const invoicesUrl = reachableDatabases(options).invoices
    // As with a service: a database that is down must not hide the dead letters.
    const failed = invoicesUrl
      ? await listFailedInvoices(invoicesUrl).catch((error: Error) => `not available: ${error.message}`)
      : 'not checked: DATABASE_URL_INVOICES is not set'
    console.log(JSON.stringify({ ...listed, failed_invoices: failed }, null, 2))
  },
}

type List = (typeof deadLetterOperations)[keyof typeof deadLetterOperations]['list']

/** A service that is down must not hide the dead letters of the others. */
async function listDeadLetters(operator: Operator, list: List): Promise<unknown> {
  try {
    return await operator.call(list, { limit: 500 })
  } catch (error) {
    if (error instanceof ServiceUnavailable) return `not available: ${error.message}`
    throw error
  }
}
