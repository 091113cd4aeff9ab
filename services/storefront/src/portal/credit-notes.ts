import { listCustomerCreditNotes, type CustomerCreditNote } from '@quittance/contracts/customer-credit-notes'
import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import type { AppOptions } from '../page/page-context.ts'
import type { PortalRoute, PortalSession } from './portal-session.ts'

interface NoteExchange {
  request: FastifyRequest<PortalRoute>
  reply: FastifyReply
  options: Pick<AppOptions, 'api'>
}

/** Only a refunded order has some. */
export async function loadCreditNotes(
  { id, refunded_amount }: CustomerOrder,
  { session, options: { api } }: { session: PortalSession; options: Pick<AppOptions, 'api'> },
): Promise<CustomerCreditNote[]> {
  if (refunded_amount === 0) return []
  return (await api.call(listCustomerCreditNotes, { id, limit: 20 }, session.call)).items
}

/** Renders the credit notes of an order; one that is being generated has no link yet. */
export function creditNoteList(notes: readonly CustomerCreditNote[], { context, path }: PortalSession): Html | null {
  const { account } = context.words
  if (notes.length === 0) return null
  return html`<section class="card stack" aria-labelledby="credit-notes">
    <h2 id="credit-notes">${account.creditNotes}</h2>
    <ul class="rows">
      ${notes.map(
        ({ id, order_id, invoice_number, issued_at, currency, total_amount, url }) =>
          html`<li class="row">
            <span>
              ${
                url
                  ? html`<a href="${path}/orders/${order_id}/credit-notes/${id}">${account.creditNote(invoice_number)}</a>`
                  : html`<bdi>${invoice_number}</bdi>`
              }
              <span class="quiet">${dateElement(issued_at, context.locale)}</span>
            </span>
            <span class="number">${createMoneyFormat(currency, context)(total_amount)}</span>
          </li>`,
      )}
    </ul>
  </section>`
}

/** Redirects to the document of a credit note; its link is new each time, because it expires. */
export async function redirectToCreditNote(
  session: PortalSession,
  { request, reply, options: { api } }: NoteExchange,
): Promise<FastifyReply> {
  const { id, noteId = '' } = request.params
  const { items } = await api.call(listCustomerCreditNotes, { id, limit: 100 }, session.call)
  const url = items.find((note) => note.id === noteId)?.url
  if (!url) throw new ApiFailure(404, { body: {}, retryAfterSeconds: null })
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(url, 303)
}
