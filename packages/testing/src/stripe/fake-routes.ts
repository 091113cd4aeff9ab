import { readId } from './build-objects.ts'
import { buildAccount, buildBalance, buildList } from './build-records.ts'
import { confirmIntent } from './confirm-intent.ts'
import { createCustomer, createPayment, createSetup, readCustomer } from './create-objects.ts'
import { readList, type FormParameters } from './form-body.ts'
import { cancelIntent, type FakeIntent } from './intent-outcomes.ts'
import { createRefund } from './move-refunds.ts'
import { createMissingError, createParameterError, type Origin } from './stripe-state.ts'

export interface FakeRequest {
  /** The variable of the path. */
  id: string
  params: FormParameters
  query: URLSearchParams
  path: string
}

/** Routes of the calls that the adapter makes, and no others. */
export const routes: Readonly<Record<string, (origin: Origin, request: FakeRequest) => object>> = {
  'GET /v1/account': ([, account]) => buildAccount(account),
  'GET /v1/balance': ([, account]) => buildBalance(account),
  'GET /v1/confirmation_tokens/:id': ([, account], { id }) => requireObject(account.tokens, id, 'confirmation_token'),
  'POST /v1/customers': (origin, { params }) => createCustomer(origin, params),
  'POST /v1/customers/:id': ([, account], { id, params }) =>
    Object.assign(requireObject(account.customers, id, 'customer'), readCustomer(params)),
  'GET /v1/customers/:id/payment_methods': ([, account], { id, query, path }) => {
    requireObject(account.customers, id, 'customer')
    return buildList(
      [...account.methods.values()].filter((method) => readId(method.customer) === id),
      query,
      path,
    )
  },
  'POST /v1/payment_intents': (origin, { params }) => createPayment(origin, params),
  'GET /v1/payment_intents': ([, account], { query, path }) =>
    buildList(selectCustomer([...account.paymentIntents.values()], query), query, path),
  'GET /v1/payment_intents/:id': ([, account], { id }) => requireObject(account.paymentIntents, id, 'payment_intent'),
  'POST /v1/payment_intents/:id/confirm': (origin, { id, params }) =>
    confirmIntent(origin, requireObject(origin[1].paymentIntents, id, 'payment_intent'), params),
  'POST /v1/payment_intents/:id/cancel': (origin, { id, params }) =>
    cancelIntent(origin, requireObject(origin[1].paymentIntents, id, 'payment_intent'), params),
  'POST /v1/setup_intents': (origin, { params }) => createSetup(origin, params),
  'GET /v1/setup_intents': ([, account], { query, path }) =>
    buildList(selectCustomer([...account.setupIntents.values()], query), query, path),
  'GET /v1/setup_intents/:id': ([, account], { id }) => requireObject(account.setupIntents, id, 'setup_intent'),
  'POST /v1/setup_intents/:id/confirm': (origin, { id, params }) =>
    confirmIntent(origin, requireObject(origin[1].setupIntents, id, 'setup_intent'), params),
  'POST /v1/setup_intents/:id/cancel': (origin, { id, params }) =>
    cancelIntent(origin, requireObject(origin[1].setupIntents, id, 'setup_intent'), params),
  'POST /v1/payment_methods/:id/detach': (origin, { id }) => detachMethod(origin, id),
  'POST /v1/refunds': (origin, { params }) => createRefund(origin, params),
  'GET /v1/refunds': ([, account], { query, path }) => {
    const intent = query.get('payment_intent')
    return buildList(
      [...account.refunds.values()].filter((refund) => !intent || readId(refund.payment_intent) === intent),
      query,
      path,
    )
  },
  'GET /v1/refunds/:id': ([, account], { id }) => requireObject(account.refunds, id, 'refund'),
  'GET /v1/disputes/:id': ([, account], { id }) => requireObject(account.disputes, id, 'dispute'),
  'GET /v1/events': ([world, account], { query, path, params }) => {
    const types = new Set(readList(params['types']))
    const kept = account.events.filter(
      ({ created, type }) => created > world.seconds() - 30 * 86_400 && (types.size === 0 || types.has(type)),
    )
    return buildList(kept, query, path)
  },
}

function requireObject<T>(objects: ReadonlyMap<string, T>, id: string, noun: string): T {
  const found = objects.get(id)
  if (!found) throw createMissingError(noun, id, null)
  return found
}

function selectCustomer<T extends FakeIntent>(intents: T[], query: URLSearchParams): T[] {
  const customer = query.get('customer')
  return customer ? intents.filter((intent) => readId(intent.customer) === customer) : intents
}

/** Detaches a method, as a call or in the dashboard. */
export function detachMethod([world, account]: Origin, id: string) {
  const method = requireObject(account.methods, id, 'payment_method')
  if (!method.customer) {
    throw createParameterError('payment_method', 'The payment method is not attached to a customer, so detaching it is impossible.')
  }
  method.customer = null
  world.publish(account, 'payment_method.detached', method)
  return method
}
