import { expect, test } from 'vitest'
import { createStripeProvider } from '../src/providers/stripe/stripe-provider.ts'
import { startStripeWorld } from './start-stripe-world.ts'
import { buildIntent, callKey, buildRefund, chargeLater, pay, prepare, refundKey, requireGot } from './stripe-contract-cases.ts'

const create = 'POST /v1/payment_intents'
const confirm = 'POST /v1/payment_intents/:id/confirm'
const retrieve = 'GET /v1/payment_intents/:id'

test('finds a charge whose reply was lost by a read, and charges once [payments 27]', async () => {
  await using world = await startStripeWorld()
  world.fake.inject({ route: confirm, moment: 'after', fault: { kind: 'reset' }, times: 2 })
  const { theirs, answer } = await pay(world, 'pm_card_visa')
  expect(answer).toEqual({ unknown: 'connection', sent: true, retryAfterMs: null })
  expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject({ is: 'succeeded' })
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 1_190 })
})

test('repeats a request after a closed connection under our key [payments 12]', async () => {
  await using world = await startStripeWorld()
  world.fake.inject({ route: confirm, moment: 'after', fault: { kind: 'reset' } })
  const { intent, answer } = await pay(world, 'pm_card_visa')
  expect(requireGot(answer)).toMatchObject({ is: 'succeeded' })
  const sent = world.fake.calls.filter(({ route }) => route === confirm)
  expect(sent.map(({ key, status }) => [key, status])).toEqual([
    [callKey(intent, 'submit'), null],
    [callKey(intent, 'submit'), 200],
  ])
  expect(sent[0]?.body).toBe(sent[1]?.body)
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 1_190 })
})

test('reports a refused connection as not sent', async () => {
  const world = await startStripeWorld()
  await world[Symbol.asyncDispose]()
  expect(await world.provider.read('pi_1', 'charge')).toEqual({ unknown: 'connection', sent: false, retryAfterMs: null })
})

test.each([
  [
    { kind: 'text', status: 502, text: '<html>Bad Gateway</html>' },
    { unknown: 'unreadable', sent: true },
  ],
  [
    { kind: 'text', status: 200, text: 'null' },
    { unknown: 'unreadable', sent: true },
  ],
  [
    { kind: 'text', status: 200, text: '{"id":"pi_1"}' },
    { unknown: 'unreadable', sent: true },
  ],
  [
    { kind: 'text', status: 200, text: `"${'x'.repeat(17_000_000)}"` },
    { unknown: 'unreadable', sent: true },
  ],
  [{ kind: 'truncated' }, { unknown: 'connection', sent: true }],
  [
    { kind: 'server-error', isKept: false },
    { unknown: 'server_error', sent: true },
  ],
  [{ kind: 'rate-limit' }, { unknown: 'busy', sent: false }],
] as const)('reports %o as an unknown outcome', async (fault, expected) => {
  await using world = await startStripeWorld()
  const theirs = await prepare(world, buildIntent())
  world.fake.inject({ route: retrieve, moment: 'before', fault, times: 2 })
  expect(await world.provider.read(theirs, 'charge')).toMatchObject(expected)
})

test('reports a check without an answer within 1.5 s as a timeout [payments 16]', async () => {
  await using world = await startStripeWorld()
  world.fake.inject({ route: 'GET /v1/confirmation_tokens/:id', moment: 'before', fault: { kind: 'timeout' } })
  const startedAt = Date.now()
  const token = await world.createToken('pm_card_visa')
  expect(await world.provider.check(token)).toEqual({ unknown: 'timeout', sent: true, retryAfterMs: null })
  expect(Date.now() - startedAt).toBeLessThan(5_000)
})

test('reports what contradicts the row as it is: amount, currency, mode and id [payments 32]', async () => {
  await using world = await startStripeWorld()
  const { intent, theirs } = await pay(world, 'pm_card_visa')
  const changes = [
    [{ amount: 1_189 }, { money: { amount: 1_189n, currency: 'eur' } }],
    [{ amount_received: 1 }, { received: { amount: 1n, currency: 'eur' } }],
    [{ currency: 'usd' }, { money: { amount: 1_190n, currency: 'usd' } }],
    [{ livemode: true }, { mode: 'live' }],
    [{ metadata: {} }, { ours: null }],
    [{ metadata: { quittance_payment: 'another' } }, { ours: 'another' }],
    [{ amount: 1.5 }, { money: null }],
  ] as const
  for (const [change, expected] of changes) {
    world.fake.inject({
      route: retrieve,
      moment: 'after',
      fault: { kind: 'tamper', change: (object) => void Object.assign(object, change) },
    })
    expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject({ ...expected, is: 'succeeded' })
  }
  expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject({ ours: intent.id, money: intent.money, mode: 'test' })
})

test.each(['requires_capture', 'of_next_year'])('reports the status %s as unreadable', async (status) => {
  await using world = await startStripeWorld()
  const { theirs } = await pay(world, 'pm_card_visa')
  world.fake.inject({ route: retrieve, moment: 'after', fault: { kind: 'tamper', change: (object) => void (object['status'] = status) } })
  expect(await world.provider.read(theirs, 'charge')).toMatchObject({ unknown: 'unreadable' })
})

test('replays a stored 500 under the same key; another submission succeeds [payments 29, 60]', async () => {
  await using world = await startStripeWorld()
  const intent = buildIntent({ source: { token: await world.createToken('pm_card_visa') } })
  const theirs = await prepare(world, intent)
  world.fake.inject({ route: confirm, moment: 'before', fault: { kind: 'server-error', isKept: true } })
  const submit = (submission: number) => world.provider.submit(theirs, intent, callKey(intent, 'submit', submission))
  const answers = [await submit(1), await submit(1)]
  expect(answers).toEqual([1, 2].map(() => expect.objectContaining({ unknown: 'server_error', sent: true })))
  expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject({ is: 'untouched' })
  expect(requireGot(await submit(2))).toMatchObject({ is: 'succeeded' })
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 1_190 })
})

test('answers 409 to the same key at the same time, which is not sent [payments 60]', async () => {
  await using world = await startStripeWorld()
  const intent = buildIntent()
  world.fake.inject({ route: create, moment: 'before', fault: { kind: 'delay', ms: 300 } })
  const answers = await Promise.all([1, 2].map(() => world.provider.prepare(intent, callKey(intent, 'prepare'))))
  expect(answers.map((answer) => ('got' in answer ? answer.got.is : answer))).toEqual(
    expect.arrayContaining(['untouched', { unknown: 'busy', sent: false, retryAfterMs: null }]),
  )
})

test('forgets a key after 24 hours: the same request creates another object [payments 60]', async () => {
  await using world = await startStripeWorld()
  const intent = buildIntent()
  const first = await prepare(world, intent)
  world.fake.advance(24 * 3_600_000 - 60_000)
  expect(await prepare(world, intent)).toBe(first)
  world.fake.advance(60_000)
  expect(await prepare(world, intent)).not.toBe(first)
})

test('declines where the bank requires a step and the buyer is absent [payments 54]', async () => {
  await using world = await startStripeWorld()
  const { method, payer } = await chargeLater(world, 'pm_card_visa')
  world.fake.state(world.accountId).cards.set(method, 'pm_card_authenticationRequired')
  const { theirs, answer } = await pay(world, 'pm_card_visa', { payer, buyerPresent: false, returnUrl: null, source: { method } })
  const expected = { is: 'declined', decline: { kind: 'needs_buyer', code: 'authentication_required' } }
  expect(requireGot(answer)).toMatchObject(expected)
  const intent = world.fake.state(world.accountId).paymentIntents.get(theirs)
  Object.assign(intent ?? {}, { status: 'requires_action', last_payment_error: null })
  expect(requireGot(await world.provider.read(theirs, 'charge'))).toMatchObject(expected)
})

test('completes a payment after the step of the buyer, or declines it', async () => {
  await using world = await startStripeWorld()
  const paid = await pay(world, 'pm_card_authenticationRequired')
  world.fake.buyer.completeAction(world.accountId, paid.theirs)
  expect(requireGot(await world.provider.read(paid.theirs, 'charge'))).toMatchObject({ is: 'succeeded' })
  const failed = await pay(world, 'pm_card_authenticationRequired')
  world.fake.buyer.completeAction(world.accountId, failed.theirs, 'fails')
  expect(requireGot(await world.provider.read(failed.theirs, 'charge'))).toMatchObject({ is: 'declined', decline: { kind: 'needs_buyer' } })
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 1_190 })
})

test('a buyer who pays in a shop has the days of the voucher, and some for its booking', async () => {
  await using world = await startStripeWorld()
  const { theirs, answer } = await pay(world, 'pm_card_authenticationRequired')
  expect(requireGot(answer)).toMatchObject({ is: 'requires_action', until: null })
  const intent = world.fake.state(world.accountId).paymentIntents.get(theirs)
  const end = Date.parse('2026-12-04T05:59:59Z')
  const readWith = async (next_action: object) => {
    Object.assign(intent ?? {}, { next_action })
    return requireGot(await world.provider.read(theirs, 'charge'))
  }
  const voucher = { type: 'oxxo_display_details', oxxo_display_details: { expires_after: end / 1000, number: '1' } }
  expect(await readWith(voucher)).toMatchObject({ is: 'requires_action', until: new Date(end + 3 * 86_400_000) })
  const konbini = { type: 'konbini_display_details', konbini_display_details: { expires_at: end / 1000 } }
  expect(await readWith(konbini)).toMatchObject({ until: new Date(end + 3 * 86_400_000) })
  const wrong = { type: 'oxxo_display_details', oxxo_display_details: { expires_after: 1e18 } }
  expect(await readWith(wrong)).toMatchObject({ is: 'requires_action', until: null })
})

test('reports a bank debit as processing until the bank completes or returns it', async () => {
  await using world = await startStripeWorld()
  const [paid, returned] = [await pay(world, 'pm_success_sepaDebit'), await pay(world, 'pm_success_sepaDebit')]
  expect(requireGot(paid.answer)).toMatchObject({ is: 'processing', checkAfterMs: 60_000, received: null })
  world.fake.bank.settlePayment(world.accountId, paid.theirs)
  world.fake.bank.settlePayment(world.accountId, returned.theirs, 'insufficient_funds')
  expect(requireGot(await world.provider.read(paid.theirs, 'charge'))).toMatchObject({ is: 'succeeded', method: { type: 'sepa_debit' } })
  expect(requireGot(await world.provider.read(returned.theirs, 'charge'))).toMatchObject({ is: 'declined', decline: { kind: 'soft' } })
})

test('reports a refund that the bank returns after it had succeeded', async () => {
  await using world = await startStripeWorld()
  const payment = await pay(world, 'pm_card_visa')
  const refund = buildRefund(payment, 1_190n)
  const { theirs } = requireGot(await world.provider.refund(refund, refundKey(refund)))
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 0 })
  world.fake.bank.settleRefund(world.accountId, theirs, 'failed')
  expect(requireGot(await world.provider.readRefund(theirs))).toMatchObject({ is: 'failed', reason: 'lost_or_stolen_card', received: null })
  expect(world.fake.moneyMoved(world.accountId)).toEqual({ eur: 1_190 })
})

test('reports a dispute, its funds and its end [payments 50]', async () => {
  await using world = await startStripeWorld()
  const payment = await pay(world, 'pm_card_visa')
  const dispute = world.fake.bank.openDispute(world.accountId, payment.theirs)
  expect(requireGot(await world.provider.readDispute(dispute))).toMatchObject({
    payment: payment.theirs,
    status: 'needs_response',
    funds: 'withdrawn',
    money: payment.intent.money,
    evidenceDueBy: expect.any(Date),
  })
  const refund = buildRefund(payment, 100n)
  expect(await world.provider.refund(refund, refundKey(refund))).toMatchObject({ misconfigured: 'request' })
  world.fake.bank.closeDispute(world.accountId, dispute, 'won')
  expect(requireGot(await world.provider.readDispute(dispute))).toMatchObject({ status: 'won', funds: 'reinstated' })
})

test('names missing permissions, and keeps the text of Stripe to itself [payments 33]', async () => {
  await using world = await startStripeWorld()
  world.fake.restrict(world.accountId, 'refunds', 'disputes')
  expect(requireGot(await world.provider.health())).toMatchObject({ lacking: ['rak_refunds_read', 'rak_disputes_read'] })
  expect(await world.provider.readRefund('re_1')).toEqual({
    misconfigured: 'permission',
    detail: 'The API key lacks the permission rak_refunds_read.',
  })
  world.fake.revokeKeys(world.accountId)
  expect(await world.provider.health()).toEqual({ misconfigured: 'credentials', detail: 'Stripe rejected the API key.' })
})

test('does not reach objects of another account', async () => {
  await using world = await startStripeWorld()
  const { theirs } = await pay(world, 'pm_card_visa')
  const other = world.fake.createAccount()
  const provider = createStripeProvider(
    { account: other.id, mode: 'test', apiKey: other.apiKey, webhookSecrets: [] },
    { apiUrl: world.fake.url, installation: 'test' },
  )
  expect(await provider.read(theirs, 'charge')).toEqual({ absent: true })
})
