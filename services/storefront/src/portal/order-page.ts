import {
  generateCustomerOrderInvoice,
  getCustomerOrder,
  updateCustomerOrder,
  type CustomerOrder,
} from '@quittance/contracts/customer-portal'
import type { CustomerCreditNote } from '@quittance/contracts/customer-credit-notes'
import { getCustomerOrderInvoice } from '@quittance/contracts/invoices'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateSentence, formatDate } from '@quittance/pages/dates'
import { errorSummary, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createMoneyFormat, nameTax } from '../checkout/order-summary.ts'
import { readText, type AppOptions } from '../page/page-context.ts'
import {
  addressBlock,
  addressFields,
  fillAddress,
  findMissingAddress,
  findMissingCountry,
  readAddress,
  toAddressInput,
  type TypedAddress,
} from './address-fields.ts'
import { creditNoteList, loadCreditNotes } from './credit-notes.ts'
import { toOrderErrors } from './order-errors.ts'
import { orderLines } from './order-lines.ts'
import { isOwed, payLink } from './owed-orders.ts'
import { orderBadge } from './overview-page.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalRoute, PortalSession } from './portal-session.ts'
import { transferSection } from './transfer-section.ts'

interface Exchange {
  request: FastifyRequest<PortalRoute>
  reply: FastifyReply
  options: AppOptions
}

const names = { nameField: 'billing_name', prefix: 'billing_address' }

/** `making`: the invoice was requested and is generated in the background. */
type InvoiceState = 'none' | 'making' | 'ready'

/** Sends an order: lines, taxes, refunds, and its invoice. Another customer's order is the same 404 as none. */
export async function sendOrder(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const order = await loadOrder(session, exchange)
  const [invoice, creditNotes] = await Promise.all([
    readInvoiceState(order, { session, exchange }),
    loadCreditNotes(order, { session, options: exchange.options }),
  ])
  const typed = fillAddress(order.billing_name ?? session.customer.name, order.billing_address ?? session.customer.billing_address)
  const notice = readText(exchange.request.query, 'saved') ? session.context.words.portal.saved : null
  return sendOrderPage(session, { exchange, order, invoice, typed, errors: [], notice, creditNotes })
}

/** Loads an order of the customer and the seller; throws `ApiFailure` with 404 for any other. */
export async function loadOrder({ call, organization }: PortalSession, { request, options: { api } }: Exchange): Promise<CustomerOrder> {
  const order = await api.call(getCustomerOrder, { id: request.params.id }, call)
  // A session of another seller does not open orders below this address.
  if (order.product.organization_id === organization.id) return order
  throw new ApiFailure(404, { body: {}, retryAfterSeconds: null })
}

async function readInvoiceState(
  order: CustomerOrder,
  { session, exchange: { request, options } }: { session: PortalSession; exchange: Exchange },
): Promise<InvoiceState> {
  // The same 404 means not requested and not arrived yet. A second request is answered by the page that waits.
  const withoutDocument = readText(request.query, 'making') ? 'making' : 'none'
  // Only one that waits for a bank transfer is invoiced before it is paid.
  if (order.status === 'pending') return order.is_invoice_generated ? 'ready' : withoutDocument
  try {
    await options.api.call(getCustomerOrderInvoice, { id: order.id }, session.call)
    return 'ready'
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 404) throw error
    return withoutDocument
  }
}

/** Redirects to the document; its link is new each time, because it expires. */
export async function redirectToInvoice({ call }: PortalSession, { request, reply, options: { api } }: Exchange): Promise<FastifyReply> {
  const { url } = await api.call(getCustomerOrderInvoice, { id: request.params.id }, call)
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(url, 303)
}

/** Saves the billing details, and requests the invoice if the customer asked for it. */
export async function changeOrder(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange
  const { context, call, path } = session
  const typed = readAddress(request.body, names)
  const isInvoiceWanted = readText(request.body, 'intent') === 'invoice'
  const order = await loadOrder(session, exchange)
  const reject = (errors: FormError[]) => sendOrderPage(session, { exchange, order, invoice: 'none', typed, errors, notice: null })
  const missing = (isInvoiceWanted ? findMissingAddress : findMissingCountry)(typed, { names, context })
  if (missing.length > 0) return reject(missing)
  const back = (query: string) => reply.redirect(`${path}/orders/${order.id}?${query}&locale=${context.language}`, 303)
  try {
    await options.api.call(
      updateCustomerOrder,
      { id: order.id, billing_name: typed.name || null, billing_address: toAddressInput(typed) },
      call,
    )
    if (!isInvoiceWanted) return back('saved=1')
    await options.api.call(generateCustomerOrderInvoice, { id: order.id }, call)
    return back('making=1')
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    // Its details were fixed at the same time.
    if (error.error === 'InvoiceAlreadyExists' || error.issues.some(({ type }) => type === 'frozen_field')) return back('making=1')
    if (error.status !== 422) throw error
    return reject(toOrderErrors(error, context))
  }
}

interface OrderPage {
  exchange: Exchange
  order: CustomerOrder
  invoice: InvoiceState
  typed: TypedAddress
  errors: readonly FormError[]
  notice: string | null
  creditNotes?: readonly CustomerCreditNote[]
}

function sendOrderPage(session: PortalSession, page: OrderPage): FastifyReply {
  const { exchange, order, errors, notice, creditNotes = [] } = page
  const { context, path } = session
  const { portal, common } = context.words
  const title = portal.orderFrom(formatDate(order.created_at, context.locale))
  const withdrawal = withdrawalLink(order, session)
  const body = html`${errorSummary(common.problem, errors)} ${notice && html`<p class="notice good" role="status">${notice}</p>`}
    <div class="row">
      <h1>${dateSentence(portal.orderFrom, order.created_at, context.locale)}</h1>
      ${orderBadge(order, context)}
    </div>
    <section class="card stack" aria-labelledby="lines">
      <h2 id="lines">${portal.lines}</h2>
      ${billedLines(order, session)}
      ${
        order.subscription_id &&
        html`<p><a href="${path}/subscriptions/${order.subscription_id}?locale=${context.language}">${portal.seeSubscription}</a></p>`
      }
    </section>
    ${transferSection(order, context) ?? (isOwed(order) && html`<p class="actions">${payLink(order, session)}</p>`)}
    <div data-live="invoice">${invoicePart(session, page)}</div>
    ${creditNoteList(creditNotes, session)} ${withdrawal}`
  return sendPortalPage(exchange.reply, session, {
    title: errors.length > 0 ? common.titleError(title) : title,
    body,
    script: exchange.options.scripts.portal,
    status: errors.length > 0 ? 422 : 200,
    linksToWithdrawal: withdrawal !== null,
  })
}

function billedLines(order: CustomerOrder, { context }: PortalSession): Html {
  const { words } = context
  const money = createMoneyFormat(order.currency, context)
  const taxes = order.taxes.map((tax) => ({ name: nameTax(tax, context), amount: tax.amount }))
  return html`${orderLines({ ...order, taxes }, context)}
  ${
    order.refunded_amount + order.refunded_tax_amount > 0 &&
    html`<p class="notice">${words.portal.refunded(money(order.refunded_amount + order.refunded_tax_amount))}</p>`
  }`
}

/** The law wants the way to withdraw easy to find during the whole period. */
function withdrawalLink({ id, withdrawal_until: until }: CustomerOrder, { context, path }: PortalSession): Html | null {
  const { declaration } = context.words
  if (!until || Date.parse(until) < Date.now()) return null
  return html`<p class="row">
    <span class="quiet">${dateSentence(declaration.until, until, context.locale)}</span>
    <a href="${path}/orders/${id}/withdraw?locale=${context.language}">${declaration.withdraw}</a>
  </p>`
}

function invoicePart({ context, path }: PortalSession, { order, invoice, typed, errors }: OrderPage): Html {
  const { portal, result } = context.words
  const frame = (content: Html) =>
    html`<section class="card stack" aria-labelledby="billing">
      <h2 id="billing">${portal.billing}</h2>
      ${content}
    </section>`
  const fixed = html`<p class="quiet">${portal.billingFixed}</p>
    ${addressBlock(order.billing_name, order.billing_address, context)}`
  if (invoice === 'ready') {
    return frame(
      html`${fixed}
        <p class="actions"><a class="button primary" href="${path}/orders/${order.id}/invoice">${portal.downloadInvoice}</a></p>`,
    )
  }
  if (invoice === 'making') {
    return frame(
      html`${fixed}
        <p role="status" data-refresh>${portal.makingInvoice}</p>
        <p class="actions without-scripts"><a class="button" href="?making=1&amp;locale=${context.language}">${result.checkAgain}</a></p>`,
    )
  }
  // One that waits for a bank transfer is paid by its invoice.
  const mayInvoice = order.status !== 'pending' || Boolean(order.transfer)
  return frame(
    html`<form class="stack" method="post" action="${path}/orders/${order.id}" novalidate>
      <input type="hidden" name="locale" value="${context.language}" />
      <p class="quiet">${mayInvoice ? portal.billingOpen : portal.invoiceAfterPayment}</p>
      ${addressFields({ typed, names, nameLabel: portal.billingName, errors, context })}
      <p class="actions">
        ${mayInvoice && html`<button class="button primary" name="intent" value="invoice">${portal.getInvoice}</button>`}
        <button class="button" name="intent" value="save">${context.words.common.save}</button>
      </p>
    </form>`,
  )
}
