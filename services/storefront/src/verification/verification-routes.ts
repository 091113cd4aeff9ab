import { readVerificationPath, verificationRoute, verifyInvoice, type InvoiceVerification } from '@quittance/contracts/invoice-verification'
import { dateElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import { formatMoney } from '@quittance/pages/money'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { readPageContext, type AppOptions, type PageContext } from '../page/page-context.ts'
import { sendNotice } from '../page/notice-page.ts'

/** Adds the address printed on documents: a page for people, and the reply of the API for programs. */
export function addVerificationRoutes(app: FastifyInstance, { api }: AppOptions): void {
  app.get<{ Params: { number: string; code: string } }>(verificationRoute, async (request, reply) => {
    const context = readPageContext(request)
    const verification = await api.call(verifyInvoice, readVerificationPath(request.params), { visitor: context.visitor })
    reply.header('vary', 'Accept')
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.send(verification)
    return sendVerification(reply, { verification, context })
  })
}

function sendVerification(
  reply: FastifyReply,
  { verification, context }: { verification: InvoiceVerification; context: PageContext },
): FastifyReply {
  const { verification: words } = context.words
  const { valid, seller_name } = verification
  const title = valid ? words.genuine : words.unknown
  return sendNotice(reply, {
    status: valid ? 200 : 404,
    context,
    title,
    ...(seller_name !== null && { brand: seller_name }),
    body: html`<p>${valid ? words.genuineLead(seller_name ?? '') : words.unknownLead}</p>
      ${valid && details(verification, context)}`,
  })
}

function details({ kind, invoice_number, issued_at, currency, total_amount, sha256 }: InvoiceVerification, context: PageContext): Html {
  const { verification: words } = context.words
  const { locale } = context
  return html`<dl class="facts">
      <dt>${kind === 'credit_note' ? words.creditNote : words.invoice}</dt>
      <dd><bdi>${invoice_number}</bdi></dd>
      <dt>${words.issued}</dt>
      <dd>${issued_at && dateElement(issued_at, locale)}</dd>
      <dt>${words.total}</dt>
      <dd class="number">${currency && formatMoney(total_amount ?? 0, { currency, locale })}</dd>
    </dl>
    <p class="quiet">${words.fileNote}</p>
    <p class="quiet"><code>${sha256}</code></p>`
}
