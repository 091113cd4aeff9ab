import { parseProrationLabel } from '@quittance/contracts/proration-label'
import { html, type Html } from '@quittance/pages/html'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import type { PageContext } from '../page/page-context.ts'

interface Line {
  label: string
  amount: number
  proration: boolean
}

/** What an order bills, placed or previewed. */
interface BilledOrder {
  currency: string
  items: readonly Line[]
  discount_amount: number
  total_amount: number
  /** Each tax with its name. */
  taxes: readonly { name: Html | string; amount: number }[]
}

/** Renders the lines of an order with discount, taxes and total. */
export function orderLines(order: BilledOrder, context: PageContext): Html {
  const { checkout: words } = context.words
  const money = createMoneyFormat(order.currency, context)
  const row = (name: Html | string, amount: number, className = '') =>
    html`<tr class="${className}">
      <th scope="row">${name}</th>
      <td class="number">${money(amount)}</td>
    </tr>`
  return html`<table class="lines">
    <tbody>
      ${order.items.map((line) => row(describeLine(line, context), line.amount))}
      ${order.discount_amount > 0 && row(words.discountWord, -order.discount_amount)}
      ${order.taxes.map(({ name, amount }) => row(name, amount))} ${row(words.total, order.total_amount, 'total')}
    </tbody>
  </table>`
}

/** Names a line; the labels of prorated ones are written in English. */
function describeLine({ label, proration }: Line, { words }: PageContext): Html {
  const parsed = proration ? parseProrationLabel(label) : null
  return html`<bdi>${parsed ? words.plan[parsed.kind](parsed.product) : label}</bdi>`
}
