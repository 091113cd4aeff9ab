import type { Answer, Capabilities, Intent, MethodDetails, PaymentProvider, Seen } from '../provider.ts'
import { config } from '../../config.ts'
import { findObject, lockObject, makeObject, saveObject, type SandboxObject, type SandboxStatus } from './sandbox-objects.ts'
import { openDispute, readSandboxDispute } from './sandbox-disputes.ts'
import { toClientSecret } from './sandbox-actions.ts'
import { createSandboxRefunds } from './sandbox-refunds.ts'
import { buildDecline, chooseScript, isKnownToken, toSandboxMethod, toSandboxToken, type SandboxScript } from './sandbox-tokens.ts'
import { toFacts, type SandboxStore } from './sandbox-store.ts'

const dayMs = 86_400_000
const soonMs = 50

const capabilities: Capabilities = {
  direction: 'pull',
  laterCharges: true,
  setup: true,
  refunds: 'partial',
  disputes: true,
  events: 'none',
  replayMs: dayMs,
  // A call is a transaction of this service: it ends with its process.
  settlesWithinMs: 5_000,
  cancelIsFinal: true,
  accepts: ({ amount }) => amount >= 1n && amount <= 10n ** 12n,
}

/** An answer that never arrives, of a call that was executed or not. */
const lost: Answer<never> = { unknown: 'timeout', sent: true, retryAfterMs: null }

/**
 * The provider for trials: no money moves. Its objects are rows, so that they survive a crash as those of a real provider do; a repeated key
 * gets the same answer. `sandbox-tokens.ts` defines what each token does.
 */
export function createSandboxProvider(store: SandboxStore): PaymentProvider {
  return {
    capabilities: () => capabilities,
    health: async () => ({ got: { account: 'sandbox', mode: 'test', lacking: [] } }),
    check: async (token) => ({ got: { usable: isKnownToken(token) } }),
    ensurePayer: async ({ id }) => ({ got: { payer: `sandbox_payer_${id}` } }),
    prepare: (intent, key) => prepare(store, { intent, key }),
    submit: (theirs, intent, key) => submit(store, { theirs, intent, key }),
    read: (theirs) => read(store, theirs),
    findByOurId: (intent) => find(store, intent),
    cancel: (theirs, _, key) => cancel(store, { theirs, key }),
    listMethods: async () => ({ got: [] }),
    detachMethod: async () => ({ got: { detached: true } }),
    ...createSandboxRefunds(store),
    readDispute: (theirs) => readSandboxDispute(store, theirs),
    parseWebhook: () => 'not_ours',
    eventsSince: async (since) => ({ got: { hints: [], until: since } }),
  }
}

interface Call {
  intent: Intent
  key: string
}

async function prepare(store: SandboxStore, { intent, key }: Call): Promise<Answer<Seen>> {
  const { source, money } = intent
  const token = source && 'token' in source ? source.token : source ? toSandboxToken(source.method) : ''
  const object = await store.transaction((sql) =>
    makeObject(sql, {
      id: `sandbox_${crypto.randomUUID()}`,
      kind: intent.kind,
      ours: intent.id,
      organizationId: store.organizationId,
      payment: null,
      amount: money?.amount ?? null,
      currency: money?.currency ?? null,
      token,
      status: 'untouched' as const,
      key,
    }),
  )
  return { got: toSeen(object, object.status) }
}

async function submit(store: SandboxStore, { theirs, intent, key }: Call & { theirs: string }): Promise<Answer<Seen>> {
  return store.transaction(async (sql) => {
    const object = await lockObject(sql, theirs)
    if (!object) return { absent: true }
    const known = object.replies[key]
    if (known) return { got: toSeen(object, known) }
    const script = chooseScript(object.token, { isBuyerPresent: intent.buyerPresent })
    if (script.result === 'misconfigured') return { misconfigured: 'account', detail: 'The token ctoken_misconfigured was used.' }
    object.submissions += 1
    const isLost = object.token === 'ctoken_lost_request' && object.submissions === 1
    if (object.status === 'untouched' && !isLost) object.status = statusAfter(script)
    if (!isLost) object.replies = { ...object.replies, [key]: object.status }
    await saveObject(sql, object)
    await openDispute(sql, object)
    if (isLost || (object.token === 'ctoken_lost_answer' && object.submissions === 1)) return lost
    return { got: toSeen(object, object.status) }
  })
}

function statusAfter(script: SandboxScript): SandboxStatus {
  return 'later' in script ? 'processing' : toStatus(script)
}

function toStatus({ result }: SandboxScript): SandboxStatus {
  if (result === 'pending') return 'processing'
  return result === 'misconfigured' ? 'untouched' : result
}

/** What was in progress when it was submitted is done at a read after its time. */
async function read(store: SandboxStore, theirs: string): Promise<Answer<Seen>> {
  return store.transaction(async (sql) => {
    const object = await lockObject(sql, theirs)
    if (!object) return { absent: true }
    if (object.status === 'processing') {
      const script = chooseScript(object.token, { isBuyerPresent: true })
      if (script.result !== 'pending' && remainingMs(object) <= 0) object.status = toStatus(script)
      await saveObject(sql, object)
    }
    return { got: toSeen(object, object.status) }
  })
}

async function find(store: SandboxStore, { id, kind }: Intent): Promise<Answer<Seen>> {
  const object = await store.transaction((sql) => findObject(sql, { ours: id, kind }))
  return object ? { got: toSeen(object, object.status) } : { absent: true }
}

/** A payment with `ctoken_late_success` succeeds after it was canceled, which no provider should do. */
async function cancel(store: SandboxStore, { theirs, key }: { theirs: string; key: string }): Promise<Answer<Seen>> {
  return store.transaction(async (sql) => {
    const object = await lockObject(sql, theirs)
    if (!object) return { absent: true }
    const known = object.replies[key]
    if (known) return { got: toSeen(object, known) }
    if (object.status !== 'succeeded') object.status = 'canceled'
    object.replies = { ...object.replies, [key]: object.status }
    await saveObject(sql, { ...object, status: object.token === 'ctoken_late_success' ? 'succeeded' : object.status })
    return { got: toSeen(object, object.status) }
  })
}

function remainingMs({ token, submitted_at }: SandboxObject): number {
  const waitMs = token === 'ctoken_slow' ? config().SANDBOX_SLOW_PAYMENT_MS : soonMs
  return Date.parse(submitted_at ?? '') + waitMs - Date.now()
}

function toSeen(object: SandboxObject, status: SandboxStatus): Seen {
  const { token } = object
  const isPaid = status === 'succeeded'
  const facts = toFacts(object, {
    isPaid,
    extra: token === 'ctoken_wrong_amount' ? 1n : 0n,
    isLive: token === 'ctoken_wrong_mode' && isPaid,
  })
  if (status === 'requires_action')
    return { ...facts, is: status, action: { by: 'client', clientSecret: toClientSecret(object.id) }, until: null }
  if (status === 'processing') return { ...facts, is: status, checkAfterMs: computeWait(object) }
  if (status === 'declined' || status === 'failed') return { ...facts, is: 'declined', decline: chooseDecline(object) }
  if (!isPaid) return { ...facts, is: status }
  return { ...facts, is: status, method: toMethod(token), charge: null }
}

function computeWait(object: SandboxObject): number {
  if (chooseScript(object.token, { isBuyerPresent: true }).result === 'pending') return dayMs
  return Math.max(soonMs, remainingMs(object) || 0)
}

function chooseDecline({ token }: SandboxObject) {
  const present = chooseScript(token, { isBuyerPresent: true })
  if (present.result === 'requires_action') return buildDecline('authentication_failed')
  const script = present.result === 'declined' ? present : chooseScript(token, { isBuyerPresent: false })
  return buildDecline(script.result === 'declined' ? script.code : 'generic')
}

function toMethod(token: string): MethodDetails {
  const card = { type: 'card', brand: 'sandbox', last4: '4242', expMonth: 12, expYear: 2050, wallet: null }
  return { theirs: toSandboxMethod(token), ...card }
}
