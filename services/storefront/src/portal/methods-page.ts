import {
  deleteCustomerPaymentMethod,
  setDefaultCustomerPaymentMethod,
  type CustomerPaymentMethod,
} from '@quittance/contracts/customer-payment-methods'
import { ApiFailure } from '@quittance/pages/call-api'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { findPaymentMethod } from '../checkout/payment-methods.ts'
import { readText } from '../page/page-context.ts'
import { listOwnMethods } from './own-methods.ts'
import type { Exchange } from './load-subscription.ts'
import { loadSetup } from './new-card.ts'
import { newMethodPath } from './new-method-page.ts'
import { badge, sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { formatExpiry, loadMethods, nameMethod } from './stored-methods.ts'

/** Sends the stored payment methods: which one is charged, and how to remove one. */
export async function sendMethods(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const [methods, payable, subscriptions] = await Promise.all([
    loadMethods(session, exchange),
    loadSetup(session, exchange),
    listOwnMethods(session, exchange),
  ])
  const { method: words } = session.context.words
  const done = readText(exchange.request.query, 'done')
  const notices = { removed: words.removed, changed: words.changed, added: words.added, default: words.addedDefault }
  const notice = Object.entries(notices).find(([name]) => name === done)?.[1]
  const problem = done === 'in-use' ? words.inUse : done === 'adding' ? words.adding : null
  const body = html`${notice && html`<p class="notice good" role="status">${notice}</p>`}
    ${problem && html`<p class="notice" role="alert">${problem}</p>`}
    <h1>${words.title}</h1>
    <section class="card stack">
      <p class="quiet">${methods.length === 0 ? words.none : words.usedFor}</p>
      <ul class="rows">
        ${methods.map((method) => methodRow(method, session))}
      </ul>
      ${findPaymentMethod(payable) && addLink(session)} ${subscriptions}
    </section>`
  return sendPortalPage(exchange.reply, session, { title: words.title, body, script: exchange.options.scripts.portal })
}

function addLink(session: PortalSession): Html {
  const { words, language } = session.context
  return html`<p class="actions"><a class="button primary" href="${newMethodPath(session)}?locale=${language}">${words.method.add}</a></p>`
}

function methodRow(method: CustomerPaymentMethod, { context, path }: PortalSession): Html {
  const { method: words } = context.words
  const { id, card, default: isDefault, is_blocked: isBlocked } = method
  const name = nameMethod(method)
  const here = `${path}/payment-methods/${id}`
  return html`<li class="stack-small">
    <p class="row">
      <span><bdi>${name}</bdi>${card && html` <span class="quiet">${words.expires} ${formatExpiry(card, context)}</span>`}</span>
      ${isDefault && badge('good', words.isDefault)} ${isBlocked && badge('warn', words.isBlocked)}
    </p>
    <form class="actions" method="post" action="${here}">
      <input type="hidden" name="locale" value="${context.language}" />
      ${
        !isDefault &&
        !isBlocked &&
        html`<button class="button" name="intent" value="default" aria-label="${words.makeDefault}: ${name}">${words.makeDefault}</button>`
      }
      <a class="button" href="${here}/remove?locale=${context.language}" aria-label="${words.remove}: ${name}">${words.remove}</a>
    </form>
  </li>`
}

/** Sends the page between a customer and the removal. */
export async function sendRemoval(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { context, path } = session
  const { method: words, portal } = context.words
  const method = (await loadMethods(session, exchange)).find(({ id }) => id === exchange.request.params.id)
  if (!method) return exchange.reply.redirect(`${path}/payment-methods?locale=${context.language}`, 303)
  const title = words.removeTitle(nameMethod(method))
  const body = html`<form class="card stack" method="post" action="${path}/payment-methods/${method.id}">
    <input type="hidden" name="locale" value="${context.language}" />
    <h1>${title}</h1>
    <p>${words.removeText}</p>
    <p class="actions">
      <button class="button primary" name="intent" value="remove">${words.removeNow}</button>
      <a class="button" href="${path}/payment-methods?locale=${context.language}">${portal.keep}</a>
    </p>
  </form>`
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal })
}

/** Removes a method, or makes it the default. One that is already removed is what the customer wants. */
export async function changeMethod(session: PortalSession, { request, reply, options: { api } }: Exchange): Promise<FastifyReply> {
  const { id } = request.params
  const isRemoval = readText(request.body, 'intent') === 'remove'
  const back = (done: string) => reply.redirect(`${session.path}/payment-methods?done=${done}&locale=${session.context.language}`, 303)
  try {
    await api.call(isRemoval ? deleteCustomerPaymentMethod : setDefaultCustomerPaymentMethod, { id }, session.call)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.error === 'PaymentMethodInUse') return back('in-use')
    if (!isRemoval || error.status !== 404) throw error
  }
  return back(isRemoval ? 'removed' : 'changed')
}
