/** Measures the confirmation of checkouts at a provider that takes its time, and what a provider that hangs costs other tenants. */
import { setTimeout as delay } from 'node:timers/promises'
import { startFakeStripe } from '@quittance/testing/stripe/fake-stripe'
import type { Scenario, Stage } from '../scenario.ts'
import { median, quantile } from '../statistics.ts'
import { startQuittance } from '../system/quittance.ts'
import { keepConfirming, openStripeTenant, type StripeTenant } from '../system/stripe-tenants.ts'
import { table } from '../table.ts'

/** Time of the provider for each call. */
const callMs = 50
const warmUps = 5
const confirmationsPerRound = 20
/** Confirmations of the other tenant that hang at the same time. */
const hanging = 32
/** Time in which they begin. */
const buildUpMs = 8_000
const confirmLimitMs = 400
const changeLimit = 1.2

interface Round {
  quiet: number[]
  hanging: number[]
}

export const payments: Scenario = {
  summary: `POST …/confirm with a provider that takes ${callMs} ms a call, without and with another tenant whose provider hangs`,
  async run(stage) {
    await using fake = await startFakeStripe()
    await stage.quittance[Symbol.asyncDispose]()
    const environment = { PAYMENT_PROVIDERS: 'stripe', STRIPE_API_URL: fake.url }
    await using quittance = await startQuittance(stage.engines, environment)
    const tenant = await openStripeTenant(quittance, fake)
    const other = await openStripeTenant(quittance, fake)
    fake.decideFaults(async ({ account }, moment) => {
      if (account === other.accountId) return { kind: 'timeout' }
      return moment === 'before' ? { kind: 'delay', ms: callMs } : null
    })
    for (let count = 0; count < warmUps; count++) await tenant.confirm()
    const rounds: Round[] = []
    for (let round = 0; round < stage.options.rounds; round++) rounds.push(await measure(stage, { tenant, other }))
    return describe(rounds)
  },
}

async function measure({ log }: Stage, { tenant, other }: { tenant: StripeTenant; other: StripeTenant }): Promise<Round> {
  log('measuring without the other tenant')
  const quiet = await confirmInTurn(tenant)
  log('measuring with the other tenant')
  const running = keepConfirming(other, { count: hanging, buildUpMs })
  await delay(buildUpMs)
  const hangingMs = await confirmInTurn(tenant)
  await running.stop()
  return { quiet, hanging: hangingMs }
}

async function confirmInTurn(tenant: StripeTenant): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < confirmationsPerRound; count++) times.push(await tenant.confirm())
  return times
}

function describe(rounds: readonly Round[]) {
  const all = { quiet: rounds.flatMap(({ quiet }) => quiet), hanging: rounds.flatMap((round) => round.hanging) }
  const ms = (value: number) => value.toFixed(1)
  const rows = Object.entries(all).map(([name, times]) => [name, ms(median(times)), ms(quantile(times, 0.95)), ms(Math.max(...times))])
  const change = median(rounds.map((round) => quantile(round.hanging, 0.95) / quantile(round.quiet, 0.95)))
  const p50 = median(all.quiet)
  const text = [
    `payments: ${all.quiet.length} confirmations in turn, ${callMs} ms for each call of the provider; then with ${hanging} hanging ones of another tenant`,
    '',
    ...table(['phase', 'p50 ms', 'p95 ms', 'max ms'], rows),
    '',
    `At the median ${ms(p50)} ms. At most ${confirmLimitMs} is required: ${p50 <= confirmLimitMs ? 'met' : 'NOT MET'}.`,
    `p95 with the hanging provider: ${change.toFixed(2)} ×. At most ${changeLimit} × is required: ${change <= changeLimit ? 'met' : 'NOT MET'}.`,
  ].join('\n')
  return { scenario: 'payments', text, figures: { p50, change, rounds } }
}
