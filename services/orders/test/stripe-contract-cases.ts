import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Intent, PaymentProvider, RefundIntent } from '../src/providers/provider.ts'

/** A Stripe on which the cases run: the fake, or the real test mode. */
export interface ContractWorld {
  provider: PaymentProvider
  /** Fills in the form with a test card. */
  createToken(card: string): Promise<string>
  /** An adapter whose key is not valid. */
  withoutKey: PaymentProvider
}

/** Returns the result of an answer, or fails. */
export function requireGot<T>(answer: Answer<T>): T {
  if (!('got' in answer)) throw new Error(`The answer has no result: ${JSON.stringify(answer)}`)
  return answer.got
}

const references = { organization: randomUUID(), customer: randomUUID(), order: randomUUID() }

export function buildIntent(values: Partial<Intent> = {}): Intent {
  return {
    id: randomUUID(),
    kind: 'charge',
    money: { amount: 1_190n, currency: 'eur' },
    payer: null,
    keep: false,
    buyerPresent: true,
    source: null,
    returnUrl: 'https://shop.example/return',
    description: 'Order of a test',
    statement: 'SHOP',
    references,
    ...values,
  }
}

/** Returns the idempotency key of a call. */
export function callKey({ id, kind }: Intent, step: string, number = 1): string {
  return `${kind === 'charge' ? 'pay' : 'setup'}:${id}:${step}:${number}`
}

export async function ensurePayer({ provider }: ContractWorld): Promise<string> {
  const id = randomUUID()
  const details = { id, payer: null, name: 'Ada Example', email: 'ada@example.com', country: 'DE', references }
  return requireGot(await provider.ensurePayer(details, `payer:${id}:create:1`)).payer
}

export async function prepare({ provider }: ContractWorld, intent: Intent): Promise<string> {
  return requireGot(await provider.prepare(intent, callKey(intent, 'prepare'))).theirs
}

/** Prepares a payment and requests the money with a test card. */
export async function pay(world: ContractWorld, card: string, values: Partial<Intent> = {}) {
  const intent = buildIntent({ source: { token: await world.createToken(card) }, ...values })
  const theirs = await prepare(world, intent)
  const answer = await world.provider.submit(theirs, intent, callKey(intent, 'submit'))
  return { intent, theirs, answer }
}

/** Stores a method for a new customer, by a setup. */
export async function store(world: ContractWorld, card: string) {
  const payer = await ensurePayer(world)
  const { answer } = await pay(world, card, { kind: 'setup', money: null, payer })
  return { payer, answer }
}

/** Charges a stored method while the buyer is absent. */
export async function chargeLater(world: ContractWorld, card: string) {
  const { payer, answer } = await store(world, card)
  const seen = requireGot(answer)
  const method = seen.is === 'succeeded' ? (seen.method?.theirs ?? '') : ''
  return { payer, method, ...(await chargeMethod(world, payer, method)) }
}

export async function chargeMethod(world: ContractWorld, payer: string, method: string) {
  return pay(world, 'pm_card_visa', { payer, buyerPresent: false, returnUrl: null, source: { method } })
}

export function buildRefund(payment: { intent: Intent; theirs: string }, amount: bigint, values: Partial<RefundIntent> = {}): RefundIntent {
  return {
    id: randomUUID(),
    payment: { id: payment.intent.id, theirs: payment.theirs, charge: null },
    money: { amount, currency: 'eur' },
    reason: 'customer_request',
    references: { organization: references.organization, order: references.order },
    ...values,
  }
}

export const refundKey = ({ id }: RefundIntent) => `refund:${id}:submit:1`

const declinedCards = [
  ['pm_card_visa_chargeDeclined', 'generic_decline'],
  ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
  ['pm_card_visa_chargeDeclinedLostCard', 'lost_card'],
  ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
  ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
  ['pm_card_chargeDeclinedProcessingError', 'processing_error'],
] as const

async function expectDecline(world: ContractWorld, card: string, providerCode: string): Promise<void> {
  const { provider } = world
  const { intent, theirs, answer } = await pay(world, card)
  const expected = { is: 'declined', ours: intent.id, received: null, decline: { providerCode } }
  expect(requireGot(answer)).toMatchObject(expected)
  expect(requireGot(await provider.read(theirs, 'charge'))).toMatchObject(expected)
  expect(requireGot(await provider.cancel(theirs, 'charge', callKey(intent, 'cancel')))).toMatchObject({ is: 'canceled' })
  expect(requireGot(await provider.submit(theirs, intent, callKey(intent, 'submit', 2)))).toMatchObject({ is: 'canceled' })
}

type ContractCase = readonly [name: string, run: (world: ContractWorld) => Promise<void>]

/** Cases about payments. They use only what the test mode of Stripe permits too. */
export const paymentCases: ContractCase[] = [
  [
    'prepares an object that moves no money and carries our id',
    async (world) => {
      const intent = buildIntent({ payer: await ensurePayer(world) })
      const seen = requireGot(await world.provider.prepare(intent, callKey(intent, 'prepare')))
      expect(seen).toMatchObject({ is: 'untouched', ours: intent.id, mode: 'test', money: intent.money, received: null })
      expect(requireGot(await world.provider.read(seen.theirs, 'charge'))).toEqual(seen)
    },
  ],
  [
    'prepares one object under one key',
    async (world) => {
      const intent = buildIntent()
      expect(await prepare(world, intent)).toBe(await prepare(world, intent))
    },
  ],
  [
    'reports other parameters under the same key as unreadable, never as a decline',
    async (world) => {
      const intent = buildIntent()
      await prepare(world, intent)
      const other = { ...intent, money: { amount: 5_000n, currency: 'eur' } }
      expect(await world.provider.prepare(other, callKey(intent, 'prepare'))).toMatchObject({ unknown: 'unreadable' })
    },
  ],
  [
    'captures the amount and reports the method as used once',
    async (world) => {
      const { intent, answer } = await pay(world, 'pm_card_visa')
      expect(requireGot(answer)).toMatchObject({
        is: 'succeeded',
        ours: intent.id,
        received: intent.money,
        charge: expect.stringMatching(/^(ch|py)_/),
      })
      expect(requireGot(answer)).toMatchObject({ method: { theirs: null, type: 'card', brand: 'visa', last4: '4242' } })
    },
  ],
  [
    'stores the method of a payment that keeps it [52]',
    async (world) => {
      const payer = await ensurePayer(world)
      const { answer } = await pay(world, 'pm_card_visa', { payer, keep: true })
      const seen = requireGot(answer)
      const method = seen.is === 'succeeded' ? seen.method : null
      expect(method?.theirs).toMatch(/^pm_/)
      expect(requireGot(await world.provider.listMethods(payer))).toEqual([method])
    },
  ],
  [
    'answers a second submission with the first success',
    async (world) => {
      const { intent, theirs, answer } = await pay(world, 'pm_card_visa')
      const again = await world.provider.submit(theirs, intent, callKey(intent, 'submit', 2))
      expect(requireGot(again)).toEqual(requireGot(answer))
    },
  ],
  ...declinedCards.map(([card, code]): ContractCase => [`declines ${card}`, (world) => expectDecline(world, card, code)]),
  [
    'answers a cancellation that comes too late with the success',
    async (world) => {
      const { intent, theirs } = await pay(world, 'pm_card_visa')
      expect(requireGot(await world.provider.cancel(theirs, 'charge', callKey(intent, 'cancel')))).toMatchObject({
        is: 'succeeded',
      })
    },
  ],
  [
    'waits for the buyer where the bank requires it, and can still be canceled',
    async (world) => {
      const { intent, theirs, answer } = await pay(world, 'pm_card_authenticationRequired')
      const seen = requireGot(answer)
      expect(seen).toMatchObject({ is: 'requires_action', action: { by: 'client', clientSecret: expect.stringContaining(theirs) } })
      expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject({ is: 'requires_action' })
      expect(requireGot(await world.provider.cancel(theirs, 'charge', callKey(intent, 'cancel')))).toMatchObject({
        is: 'canceled',
      })
    },
  ],
  [
    'declines a token that was used for another payment',
    async (world) => {
      const { intent } = await pay(world, 'pm_card_visa')
      const { answer } = await pay(world, 'pm_card_visa', { source: intent.source })
      expect(requireGot(answer)).toMatchObject({ is: 'declined', decline: { kind: 'soft', code: 'processing_error' } })
    },
  ],
  [
    'finds a payment by our id, and proves the absence of another',
    async (world) => {
      const payer = await ensurePayer(world)
      const intent = buildIntent({ payer })
      const theirs = await prepare(world, intent)
      const since = new Date(Date.now() - 60_000)
      expect(requireGot(await world.provider.findByOurId(intent, since))).toMatchObject({ theirs, is: 'untouched', ours: intent.id })
      expect(await world.provider.findByOurId(buildIntent({ payer }), since)).toEqual({ absent: true })
    },
  ],
  [
    'sends amounts in the units of Stripe [56]',
    async (world) => {
      for (const money of [
        { amount: 500n, currency: 'isk' },
        { amount: 500n, currency: 'jpy' },
        { amount: 1_230n, currency: 'kwd' },
      ]) {
        const intent = buildIntent({ money })
        expect(requireGot(await world.provider.prepare(intent, callKey(intent, 'prepare'))).money).toEqual(money)
      }
    },
  ],
  [
    'rejects an amount that is too small or cannot be expressed as misconfigured',
    async (world) => {
      for (const money of [
        { amount: 1n, currency: 'eur' },
        { amount: 1_234n, currency: 'kwd' },
        { amount: 1_000n, currency: 'clf' },
      ]) {
        const intent = buildIntent({ money })
        expect(await world.provider.prepare(intent, callKey(intent, 'prepare'))).toMatchObject({ misconfigured: 'amount' })
      }
    },
  ],
]
