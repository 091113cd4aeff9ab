import { buildPaymentIntent, buildSetupIntent } from './build-intents.ts'
import { buildCustomer } from './build-objects.ts'
import { readText, readTexts, type FormParameters } from './form-body.ts'
import { createMissingError, createParameterError, type Origin } from './stripe-state.ts'

export function readCustomer(params: FormParameters) {
  const email = readText(params['email'])
  const country = typeof params['address'] === 'object' ? readText(params['address']['country']) : null
  return {
    email,
    name: readText(params['name']),
    address: { city: null, country, line1: null, line2: null, postal_code: null, state: null },
    metadata: readTexts(params['metadata']),
  }
}

export function createCustomer(origin: Origin, params: FormParameters) {
  const customer = buildCustomer(origin, readCustomer(params))
  origin[1].customers.set(customer.id, customer)
  return customer
}

function readShared({ params, account }: { params: FormParameters; account: Origin[1] }) {
  const customer = readText(params['customer'])
  if (customer && !account.customers.has(customer)) throw createMissingError('customer', customer, 'customer')
  const automatic = params['automatic_payment_methods']
  return {
    customer,
    description: readText(params['description']),
    metadata: readTexts(params['metadata']),
    automatic_payment_methods:
      typeof automatic === 'object'
        ? { enabled: readText(automatic['enabled']) === 'true', allow_redirects: readText(automatic['allow_redirects']) ?? 'always' }
        : null,
  }
}

export function createPayment(origin: Origin, params: FormParameters) {
  const amount = Number(readText(params['amount']))
  const currency = readText(params['currency']) ?? ''
  if (!Number.isInteger(amount)) throw createParameterError('amount', 'Invalid integer', 'parameter_invalid_integer')
  if (amount > 99_999_999 && currency !== 'idr')
    throw createParameterError('amount', 'Amount must be no more than 999,999.99', 'amount_too_large')
  const least = currency === 'eur' || currency === 'usd' ? 50 : 1
  if (amount < least) throw createParameterError('amount', `Amount must be at least ${least}`, 'amount_too_small')
  if (!/^[a-z]{3}$/.test(currency)) throw createParameterError('currency', `Invalid currency: ${currency}`)
  const suffix = readText(params['statement_descriptor_suffix'])
  if (suffix && (suffix.length > 22 || /[<>\\'"*]/.test(suffix)))
    throw createParameterError('statement_descriptor_suffix', 'Invalid suffix')
  const intent = buildPaymentIntent(origin, {
    ...readShared({ params, account: origin[1] }),
    amount,
    currency,
    setup_future_usage: readText(params['setup_future_usage']),
    statement_descriptor_suffix: suffix,
  })
  origin[1].paymentIntents.set(intent.id, intent)
  return intent
}

export function createSetup(origin: Origin, params: FormParameters) {
  const usage = readText(params['usage']) ?? 'off_session'
  const intent = buildSetupIntent(origin, { ...readShared({ params, account: origin[1] }), usage })
  origin[1].setupIntents.set(intent.id, intent)
  return intent
}
