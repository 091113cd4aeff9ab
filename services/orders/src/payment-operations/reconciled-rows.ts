import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { Listed, Seen, SeenRefund } from '../providers/provider.ts'
import type { ReconciledRow } from './compare-objects.ts'

/** Which rows are compared: those of an account, and since when a change of a row is one during the comparison. */
export interface RowSelection {
  accountId: string
  startedAt: Date
}

interface FoundRow {
  id: string
  theirs: string | null
  amount: string
  currency: string
  state: string
  is_found: boolean
  is_changing: boolean
  created_at: string
}

/** A row that a list did not contain, with the time of its creation. */
export interface UnlistedRow extends ReconciledRow {
  createdAt: Date
}

/** Rows for the objects of a page. `isOurs` also covers objects without our metadata that belong to our rows. */
export interface RowsOfPage {
  find(theirs: string, ours: string | null): ReconciledRow | null
  isOurs(object: Listed<Seen | SeenRefund>): boolean
}

/** Rows that are read at the provider one by one, at most. */
export const maxUnlisted = 100

const isChanging = `(coalesce(leased_until > now(), false) or coalesce(modified_at, created_at) >= :started_at::timestamptz) as is_changing`
const time = `to_json(created_at)#>>'{}' as created_at`
const ofPayment = `id, provider_payment as theirs, amount::text as amount, currency, state, false as is_found, ${isChanging}, ${time}`
const ofRefund = `id, provider_refund as theirs, (amount + tax_amount)::text as amount, currency, state, submission = 0 as is_found, ${isChanging},
  ${time}`
const ofAccount = `payment_account_id = :account and organization_id = any (:scope_organizations)`

const listedPayments = `
  select ${ofPayment} from payments where ${ofAccount} and (provider_payment = any (:theirs::text[]) or id = any (:ours::uuid[]))`
const refundedPayments = `
  select id, provider_payment as theirs from payments where ${ofAccount} and provider_payment = any (:payments::text[])`
const listedRefunds = `
  select ${ofRefund} from refunds where payment_id = any (:payments::uuid[]) and organization_id = any (:scope_organizations)`

// Requests have milliseconds.
const isBefore = (table: string) =>
  `(:until::timestamptz is null or date_trunc('milliseconds', ${table}.created_at) <= :until::timestamptz)`

const unlistedPayments = `
  select ${ofPayment} from payments
  where ${ofAccount} and payments.created_at >= :since::timestamptz and ${isBefore('payments')}
    and provider_payment <> all (:listed::text[])
  order by payments.created_at desc, id limit ${maxUnlisted + 1}`
const unlistedRefunds = `
  select ${ofRefund} from refunds
  where organization_id = any (:scope_organizations) and refunds.created_at >= :since::timestamptz and ${isBefore('refunds')}
    and provider_refund <> all (:listed::text[])
    and payment_id in (select id from payments where ${ofAccount})
  order by refunds.created_at desc, id limit ${maxUnlisted + 1}`

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Loads the rows of listed payments, by the ids of both sides. */
export async function loadListedPayments(
  sql: ScopedSql,
  { accountId, startedAt }: RowSelection,
  objects: readonly Listed<Seen>[],
): Promise<RowsOfPage> {
  const ours = objects.flatMap(({ seen }) => (seen?.ours && uuid.test(seen.ours) ? [seen.ours] : []))
  const found = await sql<FoundRow>('payments.of-listed', listedPayments, {
    account: accountId,
    started_at: startedAt,
    theirs: objects.map(({ theirs }) => theirs),
    ours,
  })
  return toRowsOfPage(
    found.map((row) => toRow('payment', row)),
    () => false,
  )
}

/** Loads the rows of listed refunds. One that was made in the dashboard is known by its payment only. */
export async function loadListedRefunds(
  sql: ScopedSql,
  { accountId, startedAt }: RowSelection,
  objects: readonly Listed<SeenRefund>[],
): Promise<RowsOfPage> {
  const named = objects.flatMap(({ seen }) => seen?.payment ?? [])
  const payments = await sql<{ id: string; theirs: string | null }>('payments.of-refunds', refundedPayments, {
    account: accountId,
    payments: named,
  })
  const found = await sql<FoundRow>('refunds.of-listed', listedRefunds, { started_at: startedAt, payments: payments.map(({ id }) => id) })
  const known = new Set(payments.map(({ theirs }) => theirs))
  return toRowsOfPage(
    found.map((row) => toRow('refund', row)),
    // One that failed moved no money, so that no row is made for it.
    ({ seen }) => seen !== null && 'payment' in seen && known.has(seen.payment) && seen.is !== 'failed' && seen.is !== 'canceled',
  )
}

interface Unlisted extends RowSelection {
  since: Date
  until: Date | null
  /** The provider's ids of the objects that were listed. */
  listed: readonly string[]
}

/** Loads payments that have an object which was not listed, newest first; one more than `maxUnlisted` if there are more. */
export async function loadUnlistedPayments(
  sql: ScopedSql,
  { accountId, startedAt, since, until, listed }: Unlisted,
): Promise<UnlistedRow[]> {
  const values = { account: accountId, started_at: startedAt, since, until, listed: [...listed] }
  return (await sql<FoundRow>('payments.unlisted', unlistedPayments, values)).map((row) => toUnlisted('payment', row))
}

/** The same for refunds. */
export async function loadUnlistedRefunds(
  sql: ScopedSql,
  { accountId, startedAt, since, until, listed }: Unlisted,
): Promise<UnlistedRow[]> {
  const values = { account: accountId, started_at: startedAt, since, until, listed: [...listed] }
  return (await sql<FoundRow>('refunds.unlisted', unlistedRefunds, values)).map((row) => toUnlisted('refund', row))
}

function toRowsOfPage(rows: readonly ReconciledRow[], isAbout: RowsOfPage['isOurs']): RowsOfPage {
  const find: RowsOfPage['find'] = (theirs, ours) =>
    rows.find((row) => row.theirs === theirs) ?? rows.find((row) => row.id === ours) ?? null
  return { find, isOurs: (object) => object.isOurs || isAbout(object) || find(object.theirs, null) !== null }
}

function toRow(object: ReconciledRow['object'], row: FoundRow): ReconciledRow {
  const { id, theirs, amount, currency, state, is_found, is_changing } = row
  return { object, id, theirs, money: { amount: BigInt(amount), currency }, state, isFound: is_found, isChanging: is_changing }
}

function toUnlisted(object: ReconciledRow['object'], row: FoundRow): UnlistedRow {
  return { ...toRow(object, row), createdAt: new Date(row.created_at) }
}
