import { deadLetterOperations } from '@quittance/contracts/dead-letters'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { withOperator, type Operator } from '../operator.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { natsUrl, whereHelp, whereOptions } from './operator-options.ts'
import { databasesAtHand, parkedInvoices } from './parked-invoices.ts'

export const deadLetters: Command = {
  name: 'dead-letters',
  summary: 'List what was given up: events that no try could handle, and invoices that could not be made.',
  help: `Usage: npm run quittance -- dead-letters [options]

For orders, invoices and webhooks: the events that a consumer failed to handle in every try, with the reason, oldest first. Invoices that
could not be rendered are listed where their database is at hand: that of a local instance, or DATABASE_URL_INVOICES. Webhooks that were
given up belong to their sellers: GET /v1/webhooks/deliveries.
What to do with each stands in docs/operations.md; replay repeats them.

${whereHelp}

Example: npm run --silent quittance -- dead-letters`,
  async run(args) {
    const options = readArguments(args, whereOptions)
    const listed = await withOperator(natsUrl(options), async (operator) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(deadLetterOperations).map(async ([service, { list }]) => [service, await lettersOf(operator, list)] as const),
        ),
      ),
    )
    const invoicesUrl = databasesAtHand(options).invoices
    const parked = invoicesUrl ? await parkedInvoices(invoicesUrl) : 'not looked up: no DATABASE_URL_INVOICES'
    console.log(JSON.stringify({ ...listed, parked_invoices: parked }, null, 2))
  },
}

type List = (typeof deadLetterOperations)[keyof typeof deadLetterOperations]['list']

/** A service that is down must not hide the dead letters of the others. */
async function lettersOf(operator: Operator, list: List): Promise<unknown> {
  try {
    return await operator.ask(list, { limit: 500 })
  } catch (error) {
    if (error instanceof ServiceUnavailable) return `not known: ${error.message}`
    throw error
  }
}
