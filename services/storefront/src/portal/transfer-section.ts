import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import { html, type Html } from '@quittance/pages/html'
import { transferFacts } from '../checkout/transfer-facts.ts'
import type { PageContext } from '../page/page-context.ts'

/** Renders how to send the money of an order that waits for a bank transfer; null for any other. */
export function transferSection({ transfer }: Pick<CustomerOrder, 'transfer'>, context: PageContext): Html | null {
  if (!transfer) return null
  const { account } = context.words
  return html`<section class="card stack" aria-labelledby="transfer">
    <h2 id="transfer">${account.title}</h2>
    <p>${account.text}</p>
    ${transferFacts(transfer, context)}
  </section>`
}
