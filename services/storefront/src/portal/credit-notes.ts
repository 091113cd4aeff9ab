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

/** Credit notes of an order that the portal lists: as many as one page of the API has. */
const maxCreditNotes = 100

/** Only an order with an invoice has some, for refunds, corrections and its end. A refund that was returned no longer counts as refunded. */
export async function loadCreditNotes(
  { id, refunded_amount, is_invoice_generated }: CustomerOrder,
  { session, options: { api } }: { session: PortalSession; options: Pick<AppOptions, 'api'> },
): Promise<CustomerCreditNote[]> {
  if (refunded_amount === 0 && !is_invoice_generated) return []
  return (await api.call(listCustomerCreditNotes, { id, limit: maxCreditNotes }, session.call)).items
}

/** Renders the credit notes of an order; one that is being generated has no link yet. */
export function creditNoteList(notes: readonly CustomerCreditNote[], session: PortalSession): Html | null {
  const { context, path } = session
  const { account } = context.words
  if (notes.length === 0) return null
  return html`<section class="card stack" aria-labelledby="credit-notes">
    <h2 id="credit-notes">${account.creditNotes}</h2>
    <ul class="rows">
      ${notes.map((note) => {
        const { id, order_id, invoice_number, issued_at, currency, is_reversed, url } = note
        const total = createMoneyFormat(currency, context)(note.total_amount)
        return html`<li class="row">
          <span>
            ${
              url
                ? html`<a href="${path}/orders/${order_id}/credit-notes/${id}">${account.creditNote(invoice_number)}</a>`
                : html`<bdi>${invoice_number}</bdi>`
            }
            <span class="quiet">${dateElement(issued_at, context.locale)}</span>
            ${reversalPart(note, session)}
          </span>
          <span class="number">${is_reversed ? html`<s>${total}</s>` : total}</span>
        </li>`
      })}
    </ul>
  </section>`
}

/** Names the invoice that reverses a credit note; null for one that counts, and from invoices of release 0.1.0. */
function reversalPart(
  { id, order_id, reversal_number: number, reversal_url: url }: CustomerCreditNote,
  session: PortalSession,
): Html | null {
  if (!number) return null
  const text = session.context.words.portal.reversedBy(number)
  return html`<br />${url ? html`<a href="${session.path}/orders/${order_id}/credit-notes/${id}/reversal">${text}</a>` : html`<span>${text}</span>`}`
}

/** Redirects to the document of a credit note; its link is new each time, because it expires. */
export async function redirectToCreditNote(session: PortalSession, exchange: NoteExchange): Promise<FastifyReply> {
  const note = await findCreditNote(session, exchange)
  return redirectToDocument(exchange.reply, note?.url)
}

/** Redirects to the invoice that reverses a credit note. */
export async function redirectToReversal(session: PortalSession, exchange: NoteExchange): Promise<FastifyReply> {
  const note = await findCreditNote(session, exchange)
  return redirectToDocument(exchange.reply, note?.reversal_url)
}

async function findCreditNote(
  session: PortalSession,
  { request, options: { api } }: NoteExchange,
): Promise<CustomerCreditNote | undefined> {
  const { id, noteId = '' } = request.params
  const { items } = await api.call(listCustomerCreditNotes, { id, limit: maxCreditNotes }, session.call)
  return items.find((note) => note.id === noteId)
}

function redirectToDocument(reply: FastifyReply, url: string | null | undefined): FastifyReply {
  if (!url) throw new ApiFailure(404, { body: {}, retryAfterSeconds: null })
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(url, 303)
}
