import { RequestValidationError } from '@quittance/contracts/errors'
import { sharedByCheckouts, sharedByCustomers, type ScopedSql } from '@quittance/sql/sql-runner'
import type { Money } from '../providers/provider.ts'
import { hasLiveAccount } from '../providers/processor-metadata.ts'
import { getCapabilities, toSandboxAccount, type ProviderAccount } from '../providers/provider-of.ts'

interface AccountRow {
  id: string
  organization_id: string
  provider: string
  mode: ProviderAccount['mode']
  provider_account: string | null
  credentials_sealed: string | null
  paused_until: string | null
}

const columns = `id, organization_id, provider, mode, provider_account, credentials_sealed, to_json(paused_until)#>>'{}' as paused_until`

const byId = `select ${columns} from payment_accounts where id = :id and organization_id = any (:scope_organizations) and ${sharedByCustomers}`

/** Loads the account of a payment. */
export async function loadProviderAccount(
  sql: ScopedSql,
  { paymentAccountId, organizationId }: { paymentAccountId?: string | null | undefined; organizationId: string },
): Promise<ProviderAccount> {
  if (!paymentAccountId) return toSandboxAccount(organizationId)
  const [row] = await sql<AccountRow>('payment-account.find', byId, { id: paymentAccountId })
  if (!row) throw new Error(`Payment account ${paymentAccountId} does not exist`)
  return toAccount(row)
}

const active = `
  select ${columns}, is_default, settings->'bank'->>'currency' as bank_currency from payment_accounts
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and status = 'active'
    and ${sharedByCustomers}
  order by is_default desc, created_at, id`

/** How an order can be paid. */
export interface PaymentMeans {
  account: ProviderAccount
  /** The buyer sends the money, so that no token and no stored method is needed. */
  isSentByBuyer: boolean
}

/**
 * Returns the account for new payments of an organization; null if it cannot take payments. If the default account is a bank account, or with
 * `byTransfer`, it is the bank account of the currency, as each takes one. Without a default account it is the sandbox.
 */
export async function findAccountForPayments(
  sql: ScopedSql,
  { organizationId, currency, byTransfer = false }: { organizationId: string; currency?: string; byTransfer?: boolean },
): Promise<PaymentMeans | null> {
  const rows = await sql<AccountRow & { is_default: boolean; bank_currency: string | null }>('payment-account.active', active, {
    organization_id: organizationId,
  })
  const defaultRow = rows.find((row) => row.is_default)
  const inCurrency = rows.filter(({ bank_currency: taken }) => taken !== null && taken === currency)
  const isTransfer = byTransfer || Boolean(defaultRow?.bank_currency)
  const accounts = isTransfer ? inCurrency.map(toAccount) : [defaultRow ? toAccount(defaultRow) : await findSandbox(sql, organizationId)]
  const means = accounts.flatMap((account) => {
    const direction = account && getCapabilities(account)?.direction
    return direction ? [{ account, isSentByBuyer: direction === 'push' }] : []
  })
  return means.find(({ isSentByBuyer }) => isSentByBuyer || !isTransfer) ?? null
}

const live = `
  select 1 where :organization_id::uuid = any (:scope_organizations) and ${hasLiveAccount(':organization_id::uuid')} and ${sharedByCustomers}`

/** Returns the sandbox of an organization; null for one with a live account, in whatever status. */
export async function findSandbox(sql: ScopedSql, organizationId: string): Promise<ProviderAccount | null> {
  const accounts = await sql('payment-account.live', live, { organization_id: organizationId })
  return accounts.length === 0 ? toSandboxAccount(organizationId) : null
}

/** Throws `RequestValidationError` if the provider does not take an amount, as a few cents. */
export function assertAmountAccepted(account: ProviderAccount, money: Money): void {
  if (money.amount === 0n || getCapabilities(account)?.accepts(money) !== false) return
  throw RequestValidationError.field(['amount'], 'The payment provider of this seller does not take this amount.')
}

/** SQL of the payments `p` that paid for a subscription, with the order `o` and the account `a`; only an active account is paid again. */
export const paidPayments = (subscription: string): string =>
  `payments p join orders o on o.id = p.order_id join payment_accounts a on a.id = p.payment_account_id
  where o.subscription_id = ${subscription} and p.applied_at is not null and a.status = 'active'`

const ofSubscription = `
  select a.id, a.organization_id, a.provider, a.mode, a.provider_account, a.credentials_sealed, to_json(a.paused_until)#>>'{}' as paused_until
  from ${paidPayments(':subscription_id')}
    and p.organization_id = any (:scope_organizations) and (:scope_customer::uuid is null or o.customer_id = :scope_customer)
    and ${sharedByCheckouts}
  order by p.applied_at desc limit 1`

/** Returns the account to which the buyer sent the last payment of a subscription; null if it was paid otherwise. */
export async function findAccountOfSender(sql: ScopedSql, subscriptionId: string): Promise<ProviderAccount | null> {
  const [row] = await sql<AccountRow>('payment-account.of-sender', ofSubscription, { subscription_id: subscriptionId })
  const account = row ? toAccount(row) : null
  return account && getCapabilities(account)?.direction === 'push' ? account : null
}

function toAccount(row: AccountRow): ProviderAccount {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    mode: row.mode,
    providerAccount: row.provider_account ?? '',
    credentialsSealed: row.credentials_sealed,
    pausedUntil: row.paused_until ? new Date(row.paused_until) : null,
  }
}
