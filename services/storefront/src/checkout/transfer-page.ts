import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { TransferInstructions } from '@quittance/contracts/transfer-instructions'
import { html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { findFrame } from './checkout-frame.ts'
import { findTargets } from './checkout-page.ts'
import { transferFacts } from './transfer-facts.ts'

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
      ${transferFacts(readInstructions(checkout), context)}
      <p class="quiet">${payment.mailFollows}</p>
    </div>`,
  })
}

/** Returns how to send the money of a checkout that was confirmed by bank transfer. */
function readInstructions({ payment_processor_metadata: metadata, currency }: CheckoutPublic): TransferInstructions {
  const { beneficiary = '', iban = '', bic = null, amount, reference = '', due_date: due = '', epc = null } = metadata
  return { beneficiary, iban, bic, amount: Number(amount), currency, reference, due_date: due.slice(0, 10), epc }
}
