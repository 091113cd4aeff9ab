import { declareWithdrawal } from '@quittance/contracts/declarations'
import { formatDate } from '@quittance/pages/dates'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readOnce } from '../declarations/declaration-routes.ts'
import { sendReceived, sendSecondStep } from '../declarations/declaration-pages.ts'
import { readText, type AppOptions } from '../page/page-context.ts'
import { loadOrder } from './order-page.ts'
import type { PortalRoute, PortalSession } from './portal-session.ts'

interface Exchange {
  request: FastifyRequest<PortalRoute>
  reply: FastifyReply
  options: AppOptions
}

/** Fills the withdrawal of an order in: the customer is known, so one step is left. */
async function fillWithdrawal(session: PortalSession, exchange: Exchange) {
  const { context, organization, customer, path } = session
  const order = await loadOrder(session, exchange)
  const reference = `${order.description}, ${formatDate(order.created_at, context.locale)}`
  const name = order.billing_name ?? customer.name ?? customer.email
  return {
    order,
    place: { kind: 'withdraw' as const, context, organization, action: `${path}/orders/${order.id}/withdraw` },
    typed: {
      name: toPlainText(name, 100),
      email: customer.email,
      reference: toPlainText(reference, 200),
      ground: 'ordinary' as const,
    },
  }
}

/** Sends the withdrawal of an order to check. */
export async function sendWithdrawal(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { place, typed } = await fillWithdrawal(session, exchange)
  return sendSecondStep(exchange.reply, { ...place, typed, once: readOnce(exchange.request), hasFirstStep: false })
}

/** Withdraws from the contract. In time it ends a subscription at once, so only its own button does: those of the languages send the form too. */
export async function withdraw(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  if (readText(exchange.request.body, 'intent') !== 'confirm') return sendWithdrawal(session, exchange)
  const { order, place, typed } = await fillWithdrawal(session, exchange)
  const { name, email, reference } = typed
  const { organization, context, call } = session
  const receipt = await exchange.options.api.call(
    declareWithdrawal,
    { organization_id: organization.id, name, email, reference, order_id: order.id, locale: context.language },
    { ...call, idempotencyKey: readOnce(exchange.request) },
  )
  return sendReceived(exchange.reply, { ...place, typed, receipt, note: context.words.declaration.sellerNote(organization.name) })
}

/** Names of buyers and products may contain what a declaration may not, and be longer. A character is kept as a whole or not at all. */
function toPlainText(text: string, maxLength: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').replaceAll(/:\/\/|www\./gi, ' ')
  return plain.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')
}
