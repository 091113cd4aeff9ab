import { buildCardMethod, buildSepaMethod, buildToken } from './build-methods.ts'
import { buildRefund, readId } from './build-objects.ts'
import { declineIntent, succeed, type FakeIntent } from './intent-outcomes.ts'
import { detachMethod } from './fake-routes.ts'
import { closeDispute, openDispute, settleRefund } from './move-refunds.ts'
import { StripeRejection, type Origin } from './stripe-state.ts'
import { testCards } from './test-cards.ts'

function findIntent([, account]: Origin, id: string): FakeIntent {
  const intent = account.paymentIntents.get(id) ?? account.setupIntents.get(id)
  if (!intent) throw new Error(`There is no intent ${id}`)
  return intent
}

function complete(origin: Origin, intent: FakeIntent, declineCode: string | null): void {
  const method = origin[1].methods.get(readId(intent.payment_method) ?? '')
  if (!method) throw new Error(`The intent ${intent.id} has no method`)
  try {
    if (declineCode) declineIntent(origin, intent, declineCode)
    succeed(origin, { intent, method })
  } catch (error) {
    if (!(error instanceof StripeRejection)) throw error
  }
}

/** What the buyer does in the payment form. */
export function createBuyer(getOrigin: (id: string) => Origin) {
  return {
    /** Fills in the form with a test card and returns the confirmation token. */
    createToken(accountId: string, card = 'pm_card_visa'): string {
      const origin = getOrigin(accountId)
      const [, account] = origin
      const token = buildToken(origin, testCards[card]?.isSlow ? buildSepaMethod(origin) : buildCardMethod(origin, {}))
      account.tokens.set(token.id, token)
      account.cards.set(token.id, card)
      return token.id
    },
    /** Takes the step that a payment requires, or fails to. */
    completeAction(accountId: string, intentId: string, outcome: 'succeeds' | 'fails' = 'succeeds'): void {
      const origin = getOrigin(accountId)
      const intent = findIntent(origin, intentId)
      if (intent.status !== 'requires_action') throw new Error(`The intent ${intentId} is ${intent.status}`)
      complete(origin, intent, outcome === 'fails' ? 'authentication_required' : null)
    },
  }
}

/** What banks and the dashboard do. */
export function createBank(getOrigin: (id: string) => Origin) {
  return {
    /** Completes a payment that is processing. */
    settlePayment: (accountId: string, intentId: string, declineCode: string | null = null): void => {
      complete(getOrigin(accountId), findIntent(getOrigin(accountId), intentId), declineCode)
    },
    settleRefund: (accountId: string, refundId: string, status: 'succeeded' | 'failed' | 'canceled') =>
      settleRefund(getOrigin(accountId), refundId, status),
    /** Refunds in the dashboard: without metadata. */
    refundInDashboard(accountId: string, intentId: string, amount: number): string {
      const [world, account] = getOrigin(accountId)
      const intent = findIntent([world, account], intentId)
      if (intent.object !== 'payment_intent') throw new Error('A setup cannot be refunded')
      const { currency, latest_charge: latest } = intent
      const charge = account.charges.get(readId(latest) ?? '')
      if (charge) charge.amount_refunded += amount
      const refund = buildRefund([world, account], { amount, currency, charge: readId(latest), payment_intent: intentId })
      account.refunds.set(refund.id, refund)
      account.movements.push({ kind: 'refunded', amount, currency, intent: intentId })
      world.publish(account, 'refund.created', refund)
      return refund.id
    },
    openDispute(accountId: string, intentId: string): string {
      const origin = getOrigin(accountId)
      const intent = findIntent(origin, intentId)
      const charge = intent.object === 'payment_intent' ? origin[1].charges.get(readId(intent.latest_charge) ?? '') : undefined
      if (!charge) throw new Error(`The intent ${intentId} has no charge`)
      return openDispute(origin, charge).id
    },
    detachMethod: (accountId: string, methodId: string) => void detachMethod(getOrigin(accountId), methodId),
    /** Deletes a customer in the dashboard, with the methods. */
    deleteCustomer(accountId: string, customerId: string): void {
      const [world, account] = getOrigin(accountId)
      account.customers.delete(customerId)
      for (const method of account.methods.values()) if (readId(method.customer) === customerId) detachMethod([world, account], method.id)
    },
    /** Replaces an expired card of a stored method, as card networks do. */
    renewCard(accountId: string, methodId: string, { last4, exp_year }: { last4: string; exp_year: number }): void {
      const [world, account] = getOrigin(accountId)
      const method = account.methods.get(methodId)
      if (!method?.card) throw new Error(`There is no card ${methodId}`)
      Object.assign(method.card, { last4, exp_year })
      world.publish(account, 'payment_method.automatically_updated', method)
    },
    closeDispute: (accountId: string, disputeId: string, status: 'won' | 'lost') => closeDispute(getOrigin(accountId), disputeId, status),
  }
}
