import { formatIban } from '@quittance/contracts/iban'
import type { TransferInstructions } from '@quittance/contracts/transfer-instructions'
import { formatDate } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { PageContext } from '../page/page-context.ts'
import { renderEpcCode } from './epc-code.ts'
import { createMoneyFormat } from './order-summary.ts'

/** Renders where the money of an order has to be sent to, with the code for banking apps. Needs the script of the portal to copy. */
export function transferFacts({ epc, ...transfer }: TransferInstructions, context: PageContext): Html {
  const { account } = context.words
  // Of euros only: `orders` gives the text of the code for no other currency.
  const code = epc ? renderEpcCode(epc, account.scan) : null
  return html`${accountFacts(transfer, context)}
  ${
    code &&
    html`<p class="quiet">${account.scan}</p>
      ${code}`
  }`
}

function accountFacts(transfer: Omit<TransferInstructions, 'epc'>, context: PageContext): Html {
  const { account } = context.words
  const { beneficiary, iban, bic, amount, currency, reference, due_date: due } = transfer
  const copied = (value: string) =>
    html`<span data-key
      ><code>${value}</code>
      <button class="button plain" type="button" hidden data-copy="${context.words.common.copied}">
        ${context.words.common.copy}
      </button></span
    >`
  const rows: [label: string, value: Html | string | null][] = [
    [account.amount, html`<span class="strong">${createMoneyFormat(currency, context)(amount)}</span>`],
    ['IBAN', copied(formatIban(iban))],
    ['BIC', bic],
    [account.beneficiary, html`<bdi>${beneficiary}</bdi>`],
    [account.reference, copied(reference)],
    [account.due, due ? formatDate(`${due}T00:00:00Z`, context.locale) : null],
  ]
  return html`<dl class="facts">
    ${rows.map(
      ([label, value]) =>
        value &&
        html`<dt>${label}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}
