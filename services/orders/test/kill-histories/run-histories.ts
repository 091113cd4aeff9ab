import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@quittance/testing/eventually'
import type { FakeInjection, FaultedCall } from '@quittance/testing/stripe/fake-faults'
import { expect } from 'vitest'
import type { StripeShop } from '../stripe-shop.ts'
import { drawHistory } from './draw-history.ts'
import type { HistoryRows } from './history-rows.ts'
import { getBuyer, startHistory, type Life, type LiveHistory } from './live-history.ts'
import { act, proceed } from './proceed.ts'
import { startKilledReplica } from './start-killed-replica.ts'

/** How often something happened, by name. */
export type Counts = Record<string, number>

export interface HistoriesRun {
  kills: Counts
  faults: Counts
}

interface Batch {
  shop: StripeShop
  rows: HistoryRows
  lives: readonly LiveHistory[]
  counts: HistoriesRun
}

/** On a busy machine the last process needs its time. */
const patience = { withinMs: 300_000 }

/** Lives of processes that end by a kill; the last one is left alone. */
const maxKills = 4

/**
 * Runs histories side by side. In each life every history hangs at the step that it drew, or continues as far as it can; then the process is
 * killed, and the next one continues. The last process has neither faults nor kills, and completes everything.
 */
export async function runHistories(
  { shop, rows, counts }: Omit<Batch, 'lives'>,
  { run, numbers }: { run: number; numbers: readonly number[] },
): Promise<void> {
  const lives = numbers.map((number) => startHistory(drawHistory(run, number)))
  const batch: Batch = { shop, rows, lives, counts }
  for (let life = 0; life < maxKills && lives.some(({ isDone }) => !isDone); life++) await liveAndDie(batch, life)
  shop.fake.decideFaults(null)
  const replica = await startKilledReplica(shop.orders)
  try {
    const life: Life = { isOver: false }
    let rounds = 0
    await eventually(async () => {
      if (++rounds % 5 === 0) await rows.leave()
      await rows.passTime({ isRunning: true })
      await Promise.all(lives.filter(({ isDone }) => !isDone).map((live) => proceed(live, { shop, rows, life })))
      expect(lives.filter(({ isDone }) => !isDone).map(({ history }) => history)).toEqual([])
    }, patience)
    await settleAll(batch)
  } finally {
    await replica.kill()
  }
}

async function liveAndDie({ shop, rows, lives, counts }: Batch, number: number): Promise<void> {
  const life: Life = { isOver: false }
  const hanging = new Map<LiveHistory, PromiseWithResolvers<void>>(lives.map((live) => [live, Promise.withResolvers()]))
  const count = (kind: keyof HistoriesRun, name: string) => void (counts[kind][name] = (counts[kind][name] ?? 0) + 1)
  const isHanging = new Set<LiveHistory>()
  shop.fake.decideFaults(async (call, moment) => {
    const live = await findHistory({ shop, rows, lives }, call)
    if (!live) return null
    const kill = live.history.kills[number]
    if (isHanging.has(live) || (kill?.route === call.route && kill.moment === moment)) {
      if (!isHanging.has(live)) count('kills', `${moment} ${call.route}`)
      isHanging.add(live)
      hanging.get(live)?.resolve()
      return { kind: 'timeout' }
    }
    const fault = drawnFault(live, call, moment)
    if (fault) count('faults', fault.kind)
    return fault
  })
  const replica = await startKilledReplica(shop.orders)
  const scripts = lives
    .filter(({ isDone }) => !isDone)
    .map((live) => Promise.race([proceed(live, { shop, rows, life }), hanging.get(live)?.promise]))
  await Promise.all(scripts)
  life.isOver = true
  await replica.kill()
  await rows.passTime({ isRunning: false })
}

/** Returns the fault of the n-th call of a route and moment. */
function drawnFault(live: LiveHistory, { route }: FaultedCall, moment: FakeInjection['moment']) {
  const name = `${moment} ${route}`
  const nth = (live.calls.get(name) ?? 0) + 1
  live.calls.set(name, nth)
  const drawn = live.history.faults.find((each) => each.route === route && each.moment === moment && each.nth === nth)
  return drawn?.fault ?? null
}

/** Returns the history that a call is about. */
async function findHistory(
  { shop, rows, lives }: Omit<Batch, 'counts'>,
  { account, body, path }: FaultedCall,
): Promise<LiveHistory | undefined> {
  if (account !== shop.stripe.id) return undefined
  const params = new URLSearchParams(body)
  const email = params.get('email')
  if (email) return lives.find((live) => getBuyer(live) === email)
  const { paymentIntents, setupIntents, refunds } = shop.fake.state(shop.stripe.id)
  const id = path.split('/')[3] ?? ''
  const intent = params.get('payment_intent') ?? (refunds.get(id)?.payment_intent as string | undefined) ?? id
  const payment = params.get('metadata[quittance_payment]') ?? paymentIntents.get(intent)?.metadata['quittance_payment']
  const setup = params.get('metadata[quittance_setup]') ?? setupIntents.get(id)?.metadata?.['quittance_setup']
  if (setup) {
    const customer = await rows.customerOf(setup)
    return lives.find((live) => live.customerId !== null && live.customerId === customer)
  }
  const checkout = payment ? await rows.checkoutOf(payment) : undefined
  return checkout ? lives.find((live) => live.checkout?.id === checkout) : undefined
}

/** Buyers, banks and time complete what is open. */
async function settleAll({ shop, rows, lives }: Batch): Promise<void> {
  const { fake, stripe } = shop
  let rounds = 0
  await eventually(async () => {
    for (const { id, status } of fake.state(stripe.id).refunds.values())
      if (status === 'pending') fake.bank.settleRefund(stripe.id, id, 'succeeded')
    const open = await rows.all<{ id: string; state: string; theirs: string | null }>(
      'select id, state, provider_payment as theirs from payments where is_open',
    )
    for (const { id, state, theirs } of open)
      if (!act(shop, { theirs: theirs ?? '', isConfirmed: true }) && state === 'requires_action') await rows.abandon(id)
    // A kept error is repeated under its key for a day; then only another key can help, and the provider has forgotten the first.
    const isDayLater = ++rounds % 10 === 0
    const isComplete = await rows.passTime({ isRunning: true, minutes: isDayLater ? 24 * 60 : 3 })
    // A day passes for both sides or for none: no call takes a day.
    if (isDayLater && isComplete) fake.advance(24 * 3_600_000)
    await pause(200)
    expect(await rows.all(`select id, state from payments where is_open`)).toEqual([])
    expect(await rows.all(`select id, state from refunds where status = 'pending'`)).toEqual([])
    expect(await rows.all(`select id, state from payment_setups where settled_at is null and state <> 'requires_action'`)).toEqual([])
  }, patience)
  await endSetups({ rows, lives })
  await rows.readRefundsAgain()
  await eventually(async () =>
    expect(await rows.all(`select id from refunds where next_check_at <= now() or leased_until > now()`)).toEqual([]),
  )
}

/** Only setups whose buyer left wait for a person; they end after their time. */
async function endSetups({ rows, lives }: Pick<Batch, 'rows' | 'lives'>): Promise<void> {
  const waiting = await rows.all<{ id: string; customer_id: string }>('select id, customer_id from payment_setups where settled_at is null')
  const abandoned = lives.filter(({ history }) => history.setups.some(({ step }) => step === 'abandoned'))
  const customers = new Set(abandoned.map(({ customerId }) => customerId))
  expect(waiting.filter(({ customer_id: customer }) => !customers.has(customer))).toEqual([])
  for (const { id } of waiting) await rows.abandon(id, 'payment_setups')
  await eventually(async () => {
    await rows.passTime({ isRunning: true })
    await pause(200)
    expect(await rows.all('select id, state from payment_setups where settled_at is null')).toEqual([])
  }, patience)
}
