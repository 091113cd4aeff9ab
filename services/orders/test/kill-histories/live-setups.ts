import { PaymentError } from '@quittance/contracts/checkouts'
import {
  addCustomerPaymentMethod,
  confirmCustomerPaymentMethod,
  PaymentMethodActionRequired,
} from '@quittance/contracts/customer-payment-methods'
import { createCustomer } from '@quittance/contracts/customers'
import { call } from '@quittance/runtime/rpc-client'
import { customerCaller } from '@quittance/testing/callers'
import type { DrawnSetup } from './draw-history.ts'
import type { SetupRow } from './history-rows.ts'
import { getBuyer, type LiveHistory, type Script, type SentToken } from './live-history.ts'

/** Stores the methods that a history drew, one after the other. Returns whether the script continues in this life. */
export async function storeMethods(live: LiveHistory, script: Script): Promise<boolean> {
  const { rows, life, shop } = script
  const { history, customerId } = live
  if (customerId === null) return true
  if (live.unansweredSetup) await add(live, live.unansweredSetup, script)
  for (const [index, drawn] of history.setups.entries()) {
    const token = (live.setupTokens[index] ??= shop.fake.buyer.createToken(shop.stripe.id, drawn.card))
    for (;;) {
      const setup = (await rows.setups(customerId)).find((row) => row.token === token)
      if (setup && isLeft(setup, drawn)) break
      if (!setup) await add(live, { token, key: `setup-${history.number}-${index}` }, script)
      else if (!(await isMoved(live, { setup, drawn }, script))) return false
      if (life.isOver) return false
    }
  }
  return true
}

/** Registers the buyer who will use the portal. */
export async function register(live: LiveHistory, { shop }: Script): Promise<string> {
  const request = { email: getBuyer(live) }
  const idempotencyKey = `customer-${live.history.number}`
  const { connection } = shop.orders
  return (await call(connection, { operation: createCustomer, request, caller: shop.shop.seller, idempotencyKey })).id
}

/** Whether the buyer does nothing more about a setup: it is settled, or they abandoned the step of their bank. */
function isLeft({ state }: SetupRow, { step }: DrawnSetup): boolean {
  return state === 'failed' || state === 'succeeded' || (state === 'requires_action' && step === 'abandoned')
}

async function add(live: LiveHistory, sent: SentToken, { shop, life }: Script): Promise<void> {
  live.unansweredSetup = sent
  const request = { confirmation_token_id: sent.token, set_default: false }
  const { connection } = shop.orders
  try {
    await call(connection, { operation: addCustomerPaymentMethod, request, caller: asBuyer(live, shop), idempotencyKey: sent.key })
  } catch (error) {
    if (!isOutcome(error)) throw error
  }
  if (!life.isOver) live.unansweredSetup = null
}

/** The buyer acts at their bank, and returns to the portal or closes the page. Returns whether the setup is in another state soon after. */
async function isMoved(
  live: LiveHistory,
  { setup, drawn }: { setup: SetupRow; drawn: DrawnSetup },
  { shop, rows, life }: Script,
): Promise<boolean> {
  const { fake, stripe, orders } = shop
  const theirs = setup.provider_setup ?? ''
  if (fake.state(stripe.id).setupIntents.get(theirs)?.status === 'requires_action' && drawn.step !== 'abandoned') {
    fake.buyer.completeAction(stripe.id, theirs, drawn.step === 'confirmed' ? 'succeeds' : 'fails')
    if (drawn.step === 'rejected') await rows.checkNow('payment_setups', setup.id)
    else await orders.call(confirmCustomerPaymentMethod, { setup_id: setup.id }, asBuyer(live, shop)).catch(ignoreOutcome)
  }
  return rows.isSoon(async () => life.isOver || (await rows.stateOf(setup.id, 'payment_setups')) !== setup.state)
}

function asBuyer({ customerId }: LiveHistory, { shop: { organizationId } }: Script['shop']) {
  return customerCaller({ organizationId, customerId: customerId ?? '' })
}

const isOutcome = (error: unknown) => error instanceof PaymentError || error instanceof PaymentMethodActionRequired

function ignoreOutcome(error: unknown): void {
  if (!isOutcome(error)) throw error
}
