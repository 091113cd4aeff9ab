import { setTimeout as delay } from 'node:timers/promises'
import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { getCheckoutByClient } from '@quittance/contracts/checkouts'
import { html } from '@quittance/pages/html'
import { webOrigin } from '@quittance/pages/page-headers'
import type { FastifyReply } from 'fastify'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { fillCheckoutForm } from './checkout-form.ts'
import { buildCheckoutPage, findTargets } from './checkout-page.ts'
import { checkoutPath, findFrame, sandboxStepPath } from './checkout-frame.ts'
import { findProviderScript, isSandbox } from './payment-methods.ts'
import { sendRejected } from './result-pages.ts'
import type { Sale } from './sale-cookie.ts'
import { renderSandboxStep } from './sandbox-step.ts'
import { renderBankStep } from './stripe-form.ts'
import { sendSuccess } from './success-page.ts'
import { sendTransfer } from './transfer-page.ts'

/** The page after an order. */
export interface Confirmation {
  checkout: CheckoutPublic
  context: PageContext
  sale: Sale | null
  options: AppOptions
  /** Whether the visitor asked to wait: browsers without scripts cannot ask by themselves. */
  isWaiting: boolean
}

/** Waits between questions while a visitor without scripts waits: eight seconds in all. */
const waitsMs = [700, 1_000, 1_500, 2_000, 2_500]
/** Others get the page at once, so that few requests are held. */
const maxWaiting = 8
/** Checkouts that a visitor waits for; a second one does not. */
const waiting = new Set<string>()

/** Sends what the order led to: success, the form after a decline, or that the payment is in progress. */
export async function sendConfirmation(confirmation: Confirmation, reply: FastifyReply): Promise<FastifyReply> {
  const { isWaiting, checkout } = confirmation
  const settled = isWaiting && checkout.status === 'confirmed' ? await waitForEnd(confirmation) : checkout
  return sendState({ ...confirmation, checkout: settled }, reply)
}

function sendState(confirmation: Confirmation, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  const { checkout, context, sale, options } = confirmation
  switch (checkout.status) {
    case 'succeeded':
      return sendEnd(confirmation, reply)
    case 'failed':
      return sendRejected(reply, { reason: 'failed', checkout, context, options })
    case 'confirmed':
      if (checkout.payment_processor_metadata['iban']) return sendTransfer({ checkout, context, options }, reply)
      return sendProcessing(confirmation, reply)
    default: {
      // Opened without an order of this browser: nothing was declined.
      if (!sale) return reply.redirect(checkoutPath(checkout.client_secret, context), 303)
      const form = fillCheckoutForm(checkout, readAgain(context))
      const notice = context.words.checkout.declinedLater
      return sendPage(reply, buildCheckoutPage({ checkout, form, errors: [], context, notice, options }))
    }
  }
}

/** A form that was sent before is filled with what was typed, not with the region of the browser. */
function readAgain(context: PageContext): PageContext {
  return { ...context, region: null }
}

async function waitForEnd({ checkout, context, options }: Confirmation): Promise<CheckoutPublic> {
  const { client_secret: secret } = checkout
  if (waiting.size >= maxWaiting || waiting.has(secret)) return checkout
  waiting.add(secret)
  try {
    let current = checkout
    for (const waitMs of waitsMs) {
      await delay(waitMs)
      current = await options.api.call(getCheckoutByClient, { client_secret: secret }, { visitor: context.visitor })
      if (current.status !== 'confirmed') break
    }
    return current
  } finally {
    waiting.delete(secret)
  }
}

/** Leads to the seller's page, or shows the own one. A frame stays: the site around it opens its page. */
function sendEnd(confirmation: Confirmation, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  const { checkout, context, sale, options } = confirmation
  const target = findSellerPage(confirmation)
  const own = new URL(`/checkout/${checkout.client_secret}/confirmation`, options.origin)
  const success = { url: (target ?? own).href, isForeign: target !== null }
  const frame = findFrame(checkout, { kind: 'succeeded', context, success })
  if (!target || frame) return sendSuccess({ checkout, context, sale, options, frame }, reply)
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(target.href, 303)
}

/** Returns the seller's page, which an order leads to once it is paid; null if the seller named none that a browser may open. */
function findSellerPage({ checkout, sale, options }: Confirmation): URL | null {
  const target = webOrigin(checkout.success_url) ? new URL(checkout.success_url) : null
  const own = `/checkout/${checkout.client_secret}/confirmation`
  if (!target || (target.origin === options.origin && target.pathname === own)) return null
  if (target.pathname.startsWith('/checkout/') && target.pathname.endsWith(own)) return null
  if (sale) target.searchParams.set('customer_session_token', sale.sessionToken)
  return target
}

/** Time after which a page no longer asks: a mail follows. */
const pollingMs = 600_000

function sendProcessing({ checkout, context, options }: Confirmation, reply: FastifyReply): FastifyReply {
  const { words } = context
  const { result, payment } = words
  const { intent_status, intent_client_secret: secret, publishable_key: key } = checkout.payment_processor_metadata
  const needsAction = intent_status === 'requires_action'
  const provider = needsAction && secret ? findProviderScript(checkout, options) : null
  const title = needsAction ? result.actionTitle : result.processingTitle
  const isLate = Date.now() - Date.parse(checkout.modified_at ?? checkout.created_at) > pollingMs
  return sendPage(reply, {
    context,
    title,
    brand: checkout.organization.name,
    script: options.scripts.confirmation,
    provider,
    ...findTargets(checkout, options.origin),
    frame: findFrame(checkout, { kind: 'processing', context }),
    body: html`<div
      class="card narrow stack"
      ${!isLate && html`data-poll="/checkout/${checkout.client_secret}/state"`}
      ${needsAction && html`data-needs-action`}
      ${provider && html`data-key="${key}" data-secret="${secret}" data-locale="${context.language === 'zh-Hant' ? 'zh-TW' : context.language}"`}
    >
      <div class="stack" role="status">
        <h1>${title}</h1>
        <p>${needsAction ? result.action : result.processing}</p>
        <p hidden data-long>${result.processingLong}</p>
        <p ${!isLate && html`hidden`} data-late>${payment.mailFollows}</p>
      </div>
      ${provider && renderBankStep(words)}
      ${needsAction && isSandbox(checkout) && renderSandboxStep(words, { action: sandboxStepPath(checkout.client_secret, context) })}
      ${!context.embedding && html`<p class="actions"><a class="button" href="?locale=${context.language}&amp;wait=1">${result.checkAgain}</a></p>`}
    </div>`,
  })
}
