import { randomUUID } from 'node:crypto'
import type { CustomerOrder } from '@quittance/contracts/customer-portal'
import type { CustomerPaymentMethod } from '@quittance/contracts/customer-payment-methods'
import { dateElement } from '@quittance/pages/dates'
import { errorSummary, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { createMoneyFormat } from '../checkout/order-summary.ts'
import type { Payable } from '../checkout/payment-form.ts'
import { findPaymentMethod, findProviderScript } from '../checkout/payment-methods.ts'
import type { Exchange } from './load-subscription.ts'
import { billingDetails } from './new-card.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { methodChoice } from './stored-methods.ts'

/** An order that is owed, and how it can be paid. */
export interface Owed {
  order: CustomerOrder
  /** Stored methods that can be charged, the default first. */
  methods: readonly CustomerPaymentMethod[]
  /** What a new card pays. */
  payable: Payable
}

/** How the customer wants to pay. */
export interface ChosenMeans {
  /** A stored method; empty for another card. */
  methodId: string
  /** Of the form for another card. */
  token: string
}

interface PayPage {
  owed: Owed
  exchange: Exchange
  /** Null before the customer has chosen. */
  chosen: ChosenMeans | null
  /** What was wrong with the last try. */
  problem: string | null
}

/** Sends the form that pays an order: the stored methods and, without a selection or beside them, another card. */
export function sendPayForm(session: PortalSession, page: PayPage): FastifyReply {
  const { owed, exchange, problem } = page
  const { context } = session
  const { common, pay } = context.words
  const errors: FormError[] = problem ? [{ field: isStored(page) ? 'payment_method_id' : 'confirmation_token_id', message: problem }] : []
  return sendPortalPage(exchange.reply, session, {
    title: problem ? common.titleError(pay.title) : pay.title,
    body: html`${errorSummary(common.problem, errors)} ${payForm(session, page)}`,
    script: exchange.options.scripts.pay,
    provider: findProviderScript(owed.payable, exchange.options),
    status: problem ? 422 : 200,
  })
}

/** Whether a stored method is selected: the one that was chosen, or the first if that was removed since. */
function isStored({ owed: { methods }, chosen }: Pick<PayPage, 'owed' | 'chosen'>): boolean {
  return methods.length > 0 && chosen?.methodId !== ''
}

function payForm(session: PortalSession, page: PayPage): Html {
  const { order, methods, payable } = page.owed
  const { context, path } = session
  const { pay, portal } = context.words
  const sum = createMoneyFormat(order.currency, context)(order.total_amount)
  const canPay = methods.length > 0 || findPaymentMethod(payable) !== null
  return html`<form id="pay" class="card stack" method="post" action="${path}/orders/${order.id}/pay" novalidate>
    <h1>${pay.title}</h1>
    <input type="hidden" name="locale" value="${context.language}" />
    <input type="hidden" name="once" value="${randomUUID()}" />
    ${billingDetails(session, order)}
    <p class="row strong">
      <span><bdi>${order.product.name}</bdi></span>
      <span class="number">${sum}</span>
    </p>
    <p class="quiet">${dateElement(order.created_at, context.locale)}</p>
    ${canPay ? html`${storedMethods(session, page)} ${newCard(session, page)}` : html`<p class="notice">${pay.cannotPay}</p>`}
    <p class="actions">
      ${canPay && html`<button class="button primary">${pay.pay(sum)}</button>`}
      <a class="button" href="${path}/subscriptions/${order.subscription_id}?locale=${context.language}">${portal.seeSubscription}</a>
    </p>
  </form>`
}

function storedMethods({ context }: PortalSession, page: PayPage): Html {
  const { methods, payable } = page.owed
  const { pay } = context.words
  if (methods.length === 0) return html`<input type="hidden" name="payment_method_id" value="" />`
  const selected = isStored(page) ? (methods.find(({ id }) => id === page.chosen?.methodId) ?? methods[0])?.id : ''
  return methodChoice(context, {
    legend: pay.means,
    methods,
    selected: selected ?? '',
    other: findPaymentMethod(payable) && pay.otherCard,
    error: isStored(page) ? page.problem : null,
  })
}

function newCard({ context }: PortalSession, page: PayPage): Html | null {
  const { payable } = page.owed
  const method = findPaymentMethod(payable)
  if (!method) return null
  const part = method.render({ payable, context, token: page.chosen?.token ?? '', error: isStored(page) ? null : page.problem })
  return html`<div class="new-card">${part}</div>`
}
