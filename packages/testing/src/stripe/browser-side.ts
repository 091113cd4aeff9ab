import type { IncomingMessage, ServerResponse } from 'node:http'
import type { createBuyer } from './fake-actors.ts'
import { actionPage, formPage, script } from './browser-texts.ts'
import type { StripeAccountState } from './stripe-state.ts'

/** What the stand-in for Stripe's script needs of the fake. */
export interface BrowserSide {
  buyer: ReturnType<typeof createBuyer>
  findAccount(id: string): StripeAccountState | undefined
  accounts(): Iterable<StripeAccountState>
}

/** Numbers of Stripe's test cards, as buyers type them. */
const cards: Readonly<Record<string, string>> = {
  '4242424242424242': 'pm_card_visa',
  '4000002500003155': 'pm_card_authenticationRequiredOnSetup',
  '4000000000000002': 'pm_card_visa_chargeDeclined',
}

/** Path of the script, as at Stripe. */
export const scriptPath = '/endive/stripe.js'

/**
 * Serves what browsers load from Stripe: the script, the form in its frame, and the step of the bank in another. Returns whether the path is
 * one of these.
 */
export function serveBrowser(
  side: BrowserSide,
  request: IncomingMessage,
  { response, body }: { response: ServerResponse; body: string },
): boolean {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://fake')
  const send = (status: number, type: string, text: string) =>
    response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'access-control-allow-origin': '*' }).end(text)
  const sendJson = (value: object) => send(200, 'application/json', JSON.stringify(value))
  switch (`${request.method} ${path}`) {
    case `GET ${scriptPath}`:
      return Boolean(send(200, 'text/javascript', script))
    case 'GET /browser/form':
      return Boolean(send(200, 'text/html', formPage))
    case 'GET /browser/action':
      return Boolean(send(200, 'text/html', actionPage))
    case 'POST /browser/tokens':
      return Boolean(sendJson(createToken(side, JSON.parse(body) as TokenRequest)))
    case 'GET /browser/intent':
      return Boolean(sendJson({ status: findIntent(side, query.get('client_secret') ?? '')?.intent.status ?? 'unknown' }))
    case 'POST /browser/actions':
      return Boolean(sendJson(completeAction(side, JSON.parse(body) as ActionRequest)))
    default:
      return false
  }
}

interface TokenRequest {
  key: string
  number: string
  terms: { amount?: number; currency: string; setupFutureUsage?: string }
}

function createToken({ buyer, findAccount }: BrowserSide, { key, number, terms }: TokenRequest): object {
  const account = findAccount(key.replace(/^pk_(?:test|live)_/, ''))
  const card = cards[number.replaceAll(/\D/g, '')]
  if (!account) return { error: { message: 'Invalid API Key provided.' } }
  if (!card) return { error: { message: 'Your card number is incomplete.' } }
  const id = buyer.createToken(account.id, card)
  account.tokenTerms.set(id, terms)
  return { confirmationToken: { id } }
}

function findIntent(side: BrowserSide, clientSecret: string) {
  for (const account of side.accounts()) {
    for (const intent of [...account.paymentIntents.values(), ...account.setupIntents.values()]) {
      if (intent.client_secret === clientSecret) return { account, intent }
    }
  }
  return null
}

interface ActionRequest {
  clientSecret: string
  outcome: 'succeeds' | 'fails'
}

function completeAction(side: BrowserSide, { clientSecret, outcome }: ActionRequest): object {
  const found = findIntent(side, clientSecret)
  if (found) side.buyer.completeAction(found.account.id, found.intent.id, outcome)
  return outcome === 'fails' ? { error: { message: 'We are unable to authenticate your payment method.' } } : {}
}
