import { randomBytes } from 'node:crypto'
import { buildEvent } from './build-records.ts'
import { scriptPath } from './browser-side.ts'
import { createBank, createBuyer } from './fake-actors.ts'
import { createFaults, type DecideFault, type FakeInjection } from './fake-faults.ts'
import type { FakeCall } from './fake-replies.ts'
import { startFakeServer } from './fake-server.ts'
import { createWebhookSender, type DeliveryOptions } from './fake-webhooks.ts'
import { createAccountState, type Origin, type StripeAccountState, type StripeWorld } from './stripe-state.ts'

/** An account of the fake, with its credentials. */
export interface FakeAccount {
  id: string
  mode: 'test' | 'live'
  apiKey: string
  publishableKey: string
  webhookSecret: string
}

const ourKey = /^(pay|setup|refund|payer|method):[\w-]+:[\w-]+:\d+$/

/**
 * Starts a stateful Stripe: the calls of the adapter with real transitions, errors, idempotency, events and webhooks. The library reaches it
 * through host, port and protocol. Tests do what buyers, banks and the dashboard do, and inject faults.
 */
export async function startFakeStripe() {
  const accounts = new Map<string, StripeAccountState>()
  const calls: FakeCall[] = []
  const faults = createFaults()
  const { world, webhooks, advance } = createWorld()
  const findAccount = (apiKey: string) => [...accounts.values()].find(({ keys }) => keys.has(apiKey)) ?? null
  const buyer = createBuyer((id) => getOrigin(id))
  const browser = { buyer, findAccount: (id: string) => accounts.get(id), accounts: () => accounts.values() }
  const server = await startFakeServer({ world, findAccount, faults, calls, browser })

  function requireAccount(id: string): StripeAccountState {
    const account = accounts.get(id)
    if (!account) throw new Error(`There is no account ${id}`)
    return account
  }
  const getOrigin = (id: string): Origin => [world, requireAccount(id)]

  return {
    url: server.url,
    calls,
    webhooks: {
      addEndpoint: webhooks.addEndpoint,
      deliverWith: (options: DeliveryOptions) => webhooks.deliverWith(options),
      redeliver: webhooks.redeliver,
      idle: webhooks.idle,
    },
    inject: (injection: FakeInjection) => faults.inject(injection),
    clearFaults: () => faults.clear(),
    decideFaults: (decide: DecideFault | null) => faults.decideBy(decide),
    /** Moves the clock of the fake. */
    advance,
    createAccount: (options: { mode?: 'test' | 'live' } = {}) => createAccount({ world, accounts }, options),
    /** Issues another key of an account. */
    createKey(id: string): string {
      const { keys, isLive } = requireAccount(id)
      const key = `rk_${isLive ? 'live' : 'test'}_${randomBytes(12).toString('hex')}`
      keys.add(key)
      return key
    },
    revokeKeys: (id: string) => requireAccount(id).keys.clear(),
    /** Takes permissions from the keys of an account: `refunds`. */
    restrict(id: string, ...resources: string[]): void {
      for (const resource of resources) requireAccount(id).lacking.add(resource)
    },
    state: requireAccount,
    buyer,
    /** Address of the stand-in for Stripe's script. */
    scriptUrl: `${server.url}${scriptPath}`,
    bank: createBank(getOrigin),
    /** Money received by the account minus money returned, by currency, in units of Stripe. */
    moneyMoved: (id: string) => sumMovements(requireAccount(id)),
    /** Keys of POSTs that the library generated. */
    keysNotOurs: () =>
      calls.filter(({ route, key }) => route.startsWith('POST') && !ourKey.test(key ?? '')).map(({ route, key }) => `${route} ${key}`),
    async [Symbol.asyncDispose]() {
      await server.close()
      await webhooks.idle()
    },
  }
}

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>

function createWorld() {
  let offsetMs = 0
  const now = () => Date.now() + offsetMs
  const seconds = () => Math.floor(now() / 1000)
  const webhooks = createWebhookSender(seconds)
  const world: StripeWorld = {
    now,
    seconds,
    createId: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}`,
    publish(account, type, object) {
      const event = buildEvent([world, account], type, object)
      account.events.push(event)
      webhooks.publish(account.id, event)
    },
  }
  return { world, webhooks, advance: (ms: number) => void (offsetMs += ms) }
}

function createAccount(
  { world, accounts }: { world: StripeWorld; accounts: Map<string, StripeAccountState> },
  { mode = 'test' }: { mode?: 'test' | 'live' },
): FakeAccount {
  const state = createAccountState(world.createId('acct'), mode === 'live')
  const apiKey = `rk_${mode}_${randomBytes(12).toString('hex')}`
  state.keys.add(apiKey)
  accounts.set(state.id, state)
  return { id: state.id, mode, apiKey, publishableKey: `pk_${mode}_${state.id}`, webhookSecret: `whsec_${randomBytes(16).toString('hex')}` }
}

const signs = { captured: 1, refunded: -1, 'refund-failed': 1, disputed: -1, 'dispute-reinstated': 1 } as const

function sumMovements({ movements }: StripeAccountState): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { kind, amount, currency } of movements) sums[currency] = (sums[currency] ?? 0) + signs[kind] * amount
  return sums
}
