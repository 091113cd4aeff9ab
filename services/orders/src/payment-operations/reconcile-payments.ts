import { Conflict, ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import type { ReplyOf, RequestOf } from '@quittance/contracts/operation'
import { reconcilePayments as contract, type ReconciledDifference } from '@quittance/contracts/payment-operations'
import type { FinishContext, Transaction } from '@quittance/runtime/handler'
import { systemStaged } from '@quittance/runtime/system-handler'
import { callLeaseMs, callWithDeadline } from '../payments/calls-in-progress.ts'
import { countCall } from '../payments/count-call.ts'
import { findEndOfPause, pauseIfLimited } from '../payments/pause-account.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'
import type { Answer, ListPage, ListRequest, PaymentProvider, ProviderLists, Seen, SeenRefund } from '../providers/provider.ts'
import { compareRow, createMissingObject, createMissingRow, type ReconciledRow } from './compare-objects.ts'
import { requireOperator } from './payment-operations.ts'
import {
  loadListedPayments,
  loadListedRefunds,
  loadUnlistedPayments,
  loadUnlistedRefunds,
  maxUnlisted,
  type RowsOfPage,
} from './reconciled-rows.ts'

const findOrganization = `select organization_id from payment_accounts where id = :id`

const maxPage = 100
const maxDifferences = 1_000
/** No call is started later: the rest is reported as not compared. */
const maxDurationMs = 120_000

type LocatedRequest = RequestOf<typeof contract> & { organizationId: string }

/** Compares the provider with the rows and writes neither. The calls are made one after the other, outside of transactions. */
export const reconcilePayments = systemStaged(
  contract,
  { reason: 'the operator compares the payments of any account' },
  {
    async commit(request, { systemSql, caller }): Promise<LocatedRequest> {
      requireOperator(caller)
      const [account] = await systemSql<{ organization_id: string }>('payment-account.organization', findOrganization, {
        id: request.account_id,
      })
      if (!account) throw new ResourceNotFound()
      return { ...request, organizationId: account.organization_id }
    },
    async finish(located, context) {
      const comparison = await startComparison(located, context)
      const payments = await compareKind(comparison, paymentKind)
      const refunds = await compareKind(comparison, refundKind)
      const { differences } = comparison
      return {
        account_id: located.account_id,
        payments,
        refunds,
        differences: differences.slice(0, maxDifferences),
        total_count: differences.length,
      }
    },
  },
)

interface Comparison {
  located: LocatedRequest
  context: FinishContext
  account: ProviderAccount
  provider: PaymentProvider
  lists: ProviderLists
  startedAt: Date
  differences: ReconciledDifference[]
}

async function startComparison(located: LocatedRequest, context: FinishContext): Promise<Comparison> {
  const account = await loadAccount(located, context)
  const provider = openProvider(account, context)
  if (!provider) throw new Conflict(`This installation does not offer ${account.provider}.`)
  if (!provider.lists) throw new Conflict(`The provider ${account.provider} has no list of payments to compare with.`)
  return { located, context, account, provider, lists: provider.lists, startedAt: new Date(), differences: [] }
}

function loadAccount({ account_id, organizationId }: LocatedRequest, { transaction }: FinishContext): Promise<ProviderAccount> {
  return transaction(organizationId, ({ sql }) => loadProviderAccount(sql, { paymentAccountId: account_id, organizationId }))
}

/** What differs between payments and refunds. */
interface ObjectKind<T extends Seen | SeenRefund> {
  object: ReconciledRow['object']
  kind: 'charge' | 'refund'
  list(lists: ProviderLists, request: ListRequest): Promise<Answer<ListPage<T>>>
  read(provider: PaymentProvider, theirs: string): Promise<Answer<T>>
  loadListed(
    sql: Transaction['sql'],
    selection: Parameters<typeof loadListedPayments>[1],
    objects: ListPage<T>['objects'],
  ): Promise<RowsOfPage>
  loadUnlisted: typeof loadUnlistedPayments
}

const paymentKind: ObjectKind<Seen> = {
  object: 'payment',
  kind: 'charge',
  loadListed: loadListedPayments,
  loadUnlisted: loadUnlistedPayments,
  list: (lists, request) => lists.payments(request),
  read: (provider, theirs) => provider.read(theirs, 'charge'),
}

const refundKind: ObjectKind<SeenRefund> = {
  object: 'refund',
  kind: 'refund',
  loadListed: loadListedRefunds,
  loadUnlisted: loadUnlistedRefunds,
  list: (lists, request) => lists.refunds(request),
  read: (provider, theirs) => provider.readRefund(theirs),
}

type Compared = ReplyOf<typeof contract>['payments']

async function compareKind<T extends Seen | SeenRefund>(comparison: Comparison, objectKind: ObjectKind<T>): Promise<Compared> {
  const counts = { compared: 0, others: 0, in_progress: 0 }
  const { listed, comparedSince } = await compareListed(comparison, objectKind, counts)
  const since = await compareUnlisted(comparison, objectKind, { counts, listed, since: comparedSince })
  return { ...counts, compared_since: since.toISOString() }
}

type Counts = Omit<Compared, 'compared_since'>

/** Reads the list page by page, newest first, and compares each object with its row. */
async function compareListed<T extends Seen | SeenRefund>(
  comparison: Comparison,
  objectKind: ObjectKind<T>,
  counts: Counts,
): Promise<{ listed: string[]; comparedSince: Date }> {
  const { located, lists } = comparison
  const [since, until] = [new Date(located.since), readUntil(located)]
  const listed: string[] = []
  for (let after: string | null = null; ;) {
    const request: ListRequest = { since, until, limit: Math.min(maxPage, located.limit - listed.length), after }
    const page: ListPage<T> | null = await call(comparison, { kind: objectKind.kind, step: 'list' }, () => objectKind.list(lists, request))
    const objects = page?.objects ?? []
    await comparePage(comparison, objectKind, { objects, counts })
    listed.push(...objects.map(({ theirs }) => theirs))
    after = page?.next ?? null
    if (after === null) return { listed, comparedSince: since }
    if (listed.length >= located.limit || isOver(comparison)) return { listed, comparedSince: objects.at(-1)?.createdAt ?? since }
  }
}

async function comparePage<T extends Seen | SeenRefund>(
  { located, context, account, startedAt, differences }: Comparison,
  { object: kind, loadListed }: ObjectKind<T>,
  { objects, counts }: { objects: ListPage<T>['objects']; counts: Counts },
): Promise<void> {
  const selection = { accountId: located.account_id, startedAt }
  const rows = await context.transaction(located.organizationId, ({ sql }) => loadListed(sql, selection, objects))
  for (const object of objects) {
    if (!rows.isOurs(object)) {
      counts.others += 1
      continue
    }
    const row = rows.find(object.theirs, object.seen?.ours ?? null)
    if (row?.isChanging) counts.in_progress += 1
    else {
      counts.compared += 1
      differences.push(...(row ? compareRow(row, object, account) : [createMissingRow(kind, object)]))
    }
  }
}

/** Reads the object of each row that was not listed. Returns since when everything was compared. */
async function compareUnlisted<T extends Seen | SeenRefund>(
  comparison: Comparison,
  objectKind: ObjectKind<T>,
  { counts, listed, since }: { counts: Counts; listed: readonly string[]; since: Date },
): Promise<Date> {
  const { located, context, account, provider, startedAt, differences } = comparison
  const selection = { accountId: located.account_id, startedAt, since, until: readUntil(located), listed }
  const rows = await context.transaction(located.organizationId, ({ sql }) => objectKind.loadUnlisted(sql, selection))
  for (const [index, row] of rows.entries()) {
    if (index >= maxUnlisted || isOver(comparison)) return row.createdAt
    const theirs = row.theirs ?? ''
    const seen = await call(comparison, { kind: objectKind.kind, step: 'read' }, () => objectKind.read(provider, theirs))
    if (seen && row.isChanging) counts.in_progress += 1
    else {
      counts.compared += 1
      differences.push(...(seen ? compareRow(row, { theirs, seen }, account) : [createMissingObject(row)]))
    }
  }
  return since
}

const readUntil = ({ until }: LocatedRequest) => (until ? new Date(until) : null)

function isOver({ startedAt }: Comparison): boolean {
  return Date.now() >= startedAt.getTime() + maxDurationMs
}

/** Makes a call unless the account is paused, as for payments. Returns null if there is no such object; throws without an answer. */
async function call<T extends object>(
  { located, context }: Comparison,
  counted: { kind: 'charge' | 'refund'; step: string },
  make: () => Promise<Answer<T>>,
): Promise<T | null> {
  const account = await loadAccount(located, context)
  const now = new Date()
  const endOfPause = findEndOfPause(account, { now, random: 0 })
  if (endOfPause) {
    const seconds = Math.ceil((endOfPause.getTime() - now.getTime()) / 1_000)
    throw new ServiceUnavailable(`The provider limits the calls of the account. Repeat in ${seconds} seconds.`)
  }
  const answer = await callWithDeadline(callLeaseMs, make)
  countCall(counted, answer)
  if ('got' in answer) return answer.got
  if ('absent' in answer) return null
  if ('misconfigured' in answer) throw new Conflict(answer.detail)
  await context.transaction(located.organizationId, ({ sql }) => pauseIfLimited(sql, { account, answer }))
  throw new ServiceUnavailable(`The provider gave no answer (${answer.unknown}). Nothing was changed; repeat later.`)
}
