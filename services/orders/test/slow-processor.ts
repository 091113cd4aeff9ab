import type { Answer, PaymentProvider } from '../src/providers/provider.ts'
import { openSandbox, replaceProviders } from '../src/providers/provider-of.ts'

export type Call =
  | 'check'
  | 'ensurePayer'
  | 'prepare'
  | 'submit'
  | 'read'
  | 'findByOurId'
  | 'cancel'
  | 'refund'
  | 'readRefund'
  | 'findRefund'

/** The sandbox for tests: records its calls, and runs a function of the test around each. */
export interface TestProcessor extends Disposable {
  /** Ids of the rows it was called about, by kind of call; for `check` the token, for `read` and `cancel` the object. */
  calls: Record<Call, string[]>
  /** Idempotency keys and what was sent, in order. */
  sent: { key: string; body: string }[]
  /** Refunds it made: one per id, however often it is called. */
  refunded: Set<string>
  /** Runs before a call is executed; what it returns is the answer instead. */
  instead: Partial<Record<Call, (id: string) => Promise<Answer<never> | void>>>
  /** Runs after a call was executed and before its reply; nothing by default. If it throws, the reply is lost. */
  before: Partial<Record<Call, (id: string) => Promise<void>>>
}

export function useTestProcessor(): TestProcessor {
  const calls = buildEmptyCalls()
  const sent: TestProcessor['sent'] = []
  const refunded = new Set<string>()
  const instead: TestProcessor['instead'] = {}
  const before: TestProcessor['before'] = {}
  async function around<T>(call: Call, id: string, execute: () => Promise<Answer<T>>): Promise<Answer<T>> {
    calls[call].push(id)
    const replaced = await instead[call]?.(id)
    if (replaced) return replaced
    const answer = await execute()
    await before[call]?.(id)
    return answer
  }
  const send = (key: string, body: object) =>
    void sent.push({ key, body: JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value)) })
  const replaced = replaceProviders((account, context): PaymentProvider => {
    const sandbox = openSandbox(account, context)
    return {
      ...sandbox,
      check: (token) => around('check', token, () => sandbox.check(token)),
      ensurePayer(payer, key) {
        send(key, payer)
        return around('ensurePayer', payer.id, () => sandbox.ensurePayer(payer, key))
      },
      prepare(intent, key) {
        send(key, intent)
        return around('prepare', intent.id, () => sandbox.prepare(intent, key))
      },
      submit(theirs, intent, key) {
        send(key, intent)
        return around('submit', intent.id, () => sandbox.submit(theirs, intent, key))
      },
      read: (theirs, kind) => around('read', theirs, () => sandbox.read(theirs, kind)),
      findByOurId: (intent, since) => around('findByOurId', intent.id, () => sandbox.findByOurId(intent, since)),
      cancel: (theirs, kind, key) => around('cancel', theirs, () => sandbox.cancel(theirs, kind, key)),
      refund(refund, key) {
        send(key, refund)
        return around('refund', refund.id, async () => {
          const answer = await sandbox.refund(refund, key)
          if ('got' in answer) refunded.add(refund.id)
          return answer
        })
      },
      readRefund: (theirs) => around('readRefund', theirs, () => sandbox.readRefund(theirs)),
      findRefund: (refund) => around('findRefund', refund.id, () => sandbox.findRefund(refund)),
    }
  })
  return { calls, sent, refunded, instead, before, [Symbol.dispose]: () => replaced[Symbol.dispose]() }
}

function buildEmptyCalls(): TestProcessor['calls'] {
  return {
    check: [],
    ensurePayer: [],
    prepare: [],
    submit: [],
    read: [],
    findByOurId: [],
    cancel: [],
    refund: [],
    readRefund: [],
    findRefund: [],
  }
}

/** Never replies. */
export function hang(): Promise<never> {
  return new Promise(() => {})
}
