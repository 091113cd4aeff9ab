import { randomUUID } from 'node:crypto'
import { errorSummary, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import type { Payable } from '../checkout/payment-form.ts'
import { findPaymentMethod, findProviderScript } from '../checkout/payment-methods.ts'
import { readText } from '../page/page-context.ts'
import type { Exchange } from './load-subscription.ts'
import { billingDetails } from './new-card.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'

/** What was wrong with the last try. */
export interface MethodProblem {
  message: string
  status?: number
}

interface NewMethodPage {
  exchange: Exchange
  /** Whose form stores the method. */
  payable: Payable
  /** Whether another method is stored: the first one becomes the default anyway. */
  hasMethods: boolean
  problem: MethodProblem | null
}

/** Returns the path of the page that stores a payment method. */
export function newMethodPath({ path }: Pick<PortalSession, 'path'>): string {
  return `${path}/payment-methods/add`
}

/** Sends the form that stores a payment method without a payment. */
export function sendMethodForm(session: PortalSession, page: NewMethodPage): FastifyReply {
  const { exchange, payable, problem } = page
  const { common, method } = session.context.words
  const errors: FormError[] = problem ? [{ field: 'confirmation_token_id', message: problem.message }] : []
  return sendPortalPage(exchange.reply, session, {
    title: problem ? common.titleError(method.add) : method.add,
    body: html`${errorSummary(common.problem, errors)} ${methodForm(session, page)}`,
    script: exchange.options.scripts.pay,
    provider: findProviderScript(payable, exchange.options),
    status: problem ? (problem.status ?? 422) : 200,
  })
}

function methodForm(session: PortalSession, { exchange, payable, hasMethods, problem }: NewMethodPage): Html {
  const { context, path } = session
  const { method: words } = context.words
  const token = readSent(exchange, 'confirmation_token_id')
  const part = findPaymentMethod(payable)?.render({ payable, context, token, error: problem?.message ?? null })
  return html`<form id="add" class="card stack" method="post" action="${newMethodPath(session)}" novalidate>
    <h1>${words.add}</h1>
    <input type="hidden" name="locale" value="${context.language}" />
    <input type="hidden" name="once" value="${randomUUID()}" />
    ${billingDetails(session)}
    ${
      part
        ? html`<p class="quiet">${words.addText}</p>
            ${part} ${hasMethods && defaultChoice(session, readSent(exchange, 'set_default') === 'yes')}`
        : html`<p class="notice">${words.cannotAdd}</p>`
    }
    <p class="actions">
      ${part && html`<button class="button primary">${words.store}</button>`}
      <a class="button" href="${path}/payment-methods?locale=${context.language}">${words.title}</a>
    </p>
  </form>`
}

function defaultChoice({ context }: PortalSession, isChosen: boolean): Html {
  const { method: words } = context.words
  return html`<label class="check">
    <input type="checkbox" name="set_default" value="yes" ${isChosen && html`checked`} />
    <span>${words.useNow}</span>
  </label>`
}

/** Reads what the form sent before; empty at first. */
export function readSent({ request: { body } }: Exchange, name: 'confirmation_token_id' | 'set_default'): string {
  return (readText(body, name) ?? '').trim().slice(0, 255)
}
