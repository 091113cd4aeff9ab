import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { formatDate } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { findFrame } from './checkout-frame.ts'
import { findTargets } from './checkout-page.ts'
import { renderEpcCode } from './epc-code.ts'
import { createMoneyFormat } from './order-summary.ts'

interface Transfer {
  checkout: CheckoutPublic
  context: PageContext
  options: Pick<AppOptions, 'scripts' | 'origin'>
}

/** Sends where the money of an order has to be sent to. It takes days, so the page does not ask whether it has arrived. */
export function sendTransfer({ checkout, context, options }: Transfer, reply: FastifyReply): FastifyReply {
  const { account, payment } = context.words
  return sendPage(reply, {
    context,
    title: account.title,
    brand: checkout.organization.name,
    script: options.scripts.portal,
    ...findTargets(checkout, options.origin),
    frame: findFrame(checkout, { kind: 'processing', context }),
    body: html`<div class="card narrow stack">
      <h1>${account.title}</h1>
      <p>${account.text}</p>
      ${transferFacts(checkout, context)} ${transferCode(checkout, context)}
      <p class="quiet">${payment.mailFollows}</p>
    </div>`,
  })
}

/** Of euros only: `orders` gives the text of the code for no other currency. */
function transferCode({ payment_processor_metadata: { epc } }: CheckoutPublic, { words: { account } }: PageContext): Html | null {
  const code = epc ? renderEpcCode(epc, account.scan) : null
  return (
    code &&
    html`<p class="quiet">${account.scan}</p>
      ${code}`
  )
}

function transferFacts({ payment_processor_metadata: metadata, currency }: CheckoutPublic, context: PageContext): Html {
  const { account } = context.words
  const { beneficiary, iban = '', bic, amount, reference, due_date: due } = metadata
  const copied = (value: string) =>
    html`<span data-key
      ><code>${value}</code>
      <button class="button plain" type="button" hidden data-copy="${context.words.common.copied}">
        ${context.words.common.copy}
      </button></span
    >`
  const rows: [label: string, value: Html | string | null][] = [
    [account.amount, html`<span class="strong">${createMoneyFormat(currency, context)(Number(amount))}</span>`],
    ['IBAN', copied(iban.replaceAll(/(.{4})(?=.)/g, '$1 '))],
    ['BIC', bic ?? null],
    [account.beneficiary, html`<bdi>${beneficiary}</bdi>`],
    [account.reference, copied(reference ?? '')],
    [account.due, due ? formatDate(`${due.slice(0, 10)}T00:00:00Z`, context.locale) : null],
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
