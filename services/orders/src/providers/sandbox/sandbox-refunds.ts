import type { Answer, PaymentProvider, RefundIntent, SeenRefund } from '../provider.ts'
import { findObject, lockObject, makeObject, saveObject, sumSandboxRefunds, type SandboxObject } from './sandbox-objects.ts'
import { toFacts, type SandboxStore } from './sandbox-store.ts'

const dayMs = 86_400_000

/** Refunds of the sandbox. A payment of release 0.1.0 has no object; it can be refunded as one with `ctoken_ok`. */
export function createSandboxRefunds(store: SandboxStore): Pick<PaymentProvider, 'refund' | 'readRefund' | 'findRefund'> {
  return {
    refund: (intent, key) => refund(store, { intent, key }),
    readRefund: (theirs) => readRefund(store, theirs),
    async findRefund({ id }) {
      const object = await store.transaction((sql) => findObject(sql, { ours: id, kind: 'refund' }))
      return object ? { got: toSeenRefund(object) } : { absent: true }
    },
  }
}

async function refund(store: SandboxStore, { intent, key }: { intent: RefundIntent; key: string }): Promise<Answer<SeenRefund>> {
  const { payment, money } = intent
  return store.transaction(async (sql) => {
    const paid = await lockObject(sql, payment.theirs)
    const known = await findObject(sql, { ours: intent.id, kind: 'refund' })
    if (known) return { got: toSeenRefund(known) }
    if (paid && (await sumSandboxRefunds(sql, paid.id)) + money.amount > BigInt(paid.amount ?? 0)) {
      return { misconfigured: 'amount', detail: 'The refund is more than what is left of the payment.' }
    }
    const object = await makeObject(sql, {
      id: `sandbox_refund_${crypto.randomUUID()}`,
      kind: 'refund',
      ours: intent.id,
      organizationId: store.organizationId,
      key,
      payment: payment.theirs,
      token: paid?.token ?? '',
      ...money,
      status: paid?.token === 'ctoken_refund_pending' ? 'processing' : 'succeeded',
    })
    return { got: toSeenRefund(object) }
  })
}

/** The bank returns a refund with `ctoken_refund_bounces` before it is read. */
async function readRefund(store: SandboxStore, theirs: string): Promise<Answer<SeenRefund>> {
  return store.transaction(async (sql) => {
    const object = await lockObject(sql, theirs)
    if (!object) return { absent: true }
    if (object.token === 'ctoken_refund_bounces' && object.status === 'succeeded') {
      object.status = 'failed'
      await saveObject(sql, object)
    }
    return { got: toSeenRefund(object) }
  })
}

function toSeenRefund(object: SandboxObject): SeenRefund {
  const facts = { ...toFacts(object, { isPaid: object.status === 'succeeded' }), payment: object.payment }
  if (object.status === 'processing') return { ...facts, is: 'processing', checkAfterMs: dayMs }
  if (object.status === 'failed') return { ...facts, is: 'failed', reason: 'The bank returned the refund.' }
  return { ...facts, is: 'succeeded' }
}
