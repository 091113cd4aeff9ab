import type { Transaction } from '@quittance/runtime/handler'
import type {
  Answer,
  Capabilities,
  Intent,
  Mode,
  PaymentProvider,
  RefundIntent,
  Seen,
  SeenRefund,
  TransferInstructions,
} from '../provider.ts'
import {
  changeTransferRequest,
  findTransferRequest,
  formatCreditorReference,
  formatEpc,
  loadBankSettings,
  makeTransferRequest,
  type TransferRequest,
} from './transfer-requests.ts'

/** A bank account of a seller, with a row for each request to a payer. */
export interface TransferStore {
  /** `providerAccount` is the IBAN. */
  account: { id: string | null; organizationId: string; providerAccount: string; mode: Mode }
  transaction<T>(work: (sql: Transaction['sql']) => Promise<T>): Promise<T>
}

const dayMs = 86_400_000

/** Days that a transfer of the last day may take to be booked and recorded. */
const graceDays = 3

const capabilities: Capabilities = {
  direction: 'push',
  laterCharges: false,
  setup: false,
  refunds: 'by_seller',
  disputes: false,
  events: 'none',
  // Requests are made once per payment, whatever the key.
  replayMs: Infinity,
  settlesWithinMs: 5_000,
  // Buyers can always send money.
  cancelIsFinal: false,
  accepts: ({ amount }) => amount >= 1n && amount <= 10n ** 12n,
}

/**
 * Payments that buyers send to a bank account. Nothing is called: the seller records what arrived, by hand or by a bank statement, and every
 * read adds it up. A request has succeeded as soon as the whole amount arrived, even after it was canceled; what is over is not part of it.
 */
export function createBankTransferProvider(store: TransferStore): PaymentProvider {
  const { providerAccount: account, mode } = store.account
  const accountId = requireId(store)
  const withRequest = (find: (sql: Transaction['sql']) => Promise<TransferRequest | null>) =>
    store.transaction(find).then((request): Answer<Seen> => (request ? { got: toSeen(request, store) } : { absent: true }))
  return {
    capabilities: () => capabilities,
    health: async () => ({ got: { account, mode, lacking: [] } }),
    check: async () => ({ got: { usable: false } }),
    ensurePayer: async ({ id }) => ({ got: { payer: `payer_${id}` } }),
    prepare: (intent) => prepare(store, intent),
    submit: (id) => withRequest((sql) => changeTransferRequest(sql, { accountId, id, status: 'requested', before: ['prepared'] })),
    read: (id) => withRequest((sql) => findTransferRequest(sql, { accountId, id })),
    findByOurId: (intent) => withRequest((sql) => findTransferRequest(sql, { accountId, id: formatCreditorReference(intent.id) })),
    cancel: (id) =>
      withRequest((sql) => changeTransferRequest(sql, { accountId, id, status: 'canceled', before: ['prepared', 'requested'] })),
    listMethods: async () => ({ got: [] }),
    detachMethod: async () => ({ got: { detached: true } }),
    refund: (refund) => requestReturn(store, refund),
    readRefund: (id) => readReturn(store, id),
    findRefund: ({ id }) => readReturn(store, toRefundId(id)),
    readDispute: async () => ({ absent: true }),
    parseWebhook: () => 'not_ours',
    eventsSince: async (since) => ({ got: { hints: [], until: since } }),
  }
}

function requireId({ account: { id } }: TransferStore): string {
  if (id === null) throw new Error('A bank account has a row')
  return id
}

async function prepare(store: TransferStore, { id, kind, money }: Intent): Promise<Answer<Seen>> {
  if (kind === 'setup' || !money) return { misconfigured: 'feature', detail: 'A bank account stores no payment methods.' }
  const accountId = requireId(store)
  const { organizationId } = store.account
  return store.transaction(async (sql): Promise<Answer<Seen>> => {
    const { bank, now } = await loadBankSettings(sql, accountId)
    if (bank?.currency !== money.currency) return { misconfigured: 'currency', detail: `The bank account does not take ${money.currency}.` }
    const dueDate = new Date(Date.parse(now) + bank.due_days * dayMs).toISOString().slice(0, 10)
    const { beneficiary, iban, bic } = bank
    const known = { beneficiary, iban, bic, reference: formatCreditorReference(id), dueDate }
    const instructions: TransferInstructions = { ...known, epc: formatEpc(known, money) }
    const request = { id: known.reference, ours: id, kind: 'charge', status: 'prepared', instructions } as const
    const made = await makeTransferRequest(sql, { ...request, ...money, accountId, organizationId })
    return made ? { got: toSeen(made, store) } : { unknown: 'unreadable', sent: false, retryAfterMs: null }
  })
}

function toFacts({ id, ours, amount, currency }: TransferRequest, { account }: TransferStore, isComplete: boolean) {
  const money = { amount: BigInt(amount), currency }
  return { ours, theirs: id, account: account.providerAccount, mode: account.mode, money, received: isComplete ? money : null }
}

function toSeen(request: TransferRequest, store: TransferStore): Seen {
  const isComplete = BigInt(request.received) >= BigInt(request.amount)
  const facts = toFacts(request, store, isComplete)
  if (isComplete) return { ...facts, is: 'succeeded', method: null, charge: null }
  if (request.status === 'canceled') return { ...facts, is: 'canceled' }
  if (request.status === 'prepared' || !request.instructions) return { ...facts, is: 'untouched' }
  const until = new Date(Date.parse(request.instructions.dueDate) + (1 + graceDays) * dayMs)
  return { ...facts, is: 'requires_action', action: { by: 'transfer', instructions: request.instructions }, until }
}

const toRefundId = (ours: string) => `refund_${ours}`

/** The seller returns the money; until they record that, the refund is pending. */
async function requestReturn(store: TransferStore, { id, money }: RefundIntent): Promise<Answer<SeenRefund>> {
  const accountId = requireId(store)
  const { organizationId } = store.account
  const request = { id: toRefundId(id), ours: id, kind: 'refund', status: 'requested', instructions: null } as const
  await store.transaction((sql) => makeTransferRequest(sql, { ...request, ...money, accountId, organizationId }))
  return readReturn(store, request.id)
}

async function readReturn(store: TransferStore, id: string): Promise<Answer<SeenRefund>> {
  const request = await store.transaction((sql) => findTransferRequest(sql, { accountId: requireId(store), id }))
  if (!request) return { absent: true }
  const isPaid = request.status === 'paid'
  const facts = { ...toFacts(request, store, isPaid), payment: null }
  return { got: isPaid ? { ...facts, is: 'succeeded' } : { ...facts, is: 'processing', checkAfterMs: dayMs } }
}
