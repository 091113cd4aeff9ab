import { sharedByCustomers, type ScopedSql } from '@quittance/runtime/sql-runner'
import { hasProvider, toSandboxAccount, type ProviderAccount } from '../providers/provider-of.ts'

interface AccountRow {
  id: string
  organization_id: string
  provider: string
  mode: ProviderAccount['mode']
  provider_account: string | null
  credentials_sealed: string | null
}

const columns = 'id, organization_id, provider, mode, provider_account, credentials_sealed'

const byId = `select ${columns} from payment_accounts where id = :id and organization_id = any (:scope_organizations)`

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

const defaultOne = `
  select ${columns} from payment_accounts
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and is_default and status = 'active'
    and ${sharedByCustomers}`

/** Returns the account for new payments of an organization; null if it cannot take payments. */
export async function findAccountForPayments(sql: ScopedSql, organizationId: string): Promise<ProviderAccount | null> {
  const [row] = await sql<AccountRow>('payment-account.default', defaultOne, { organization_id: organizationId })
  const account = row ? toAccount(row) : toSandboxAccount(organizationId)
  return hasProvider(account) ? account : null
}

function toAccount(row: AccountRow): ProviderAccount {
  return {
    id: row.id,
    organizationId: row.organization_id,
    provider: row.provider,
    mode: row.mode,
    providerAccount: row.provider_account ?? '',
    credentialsSealed: row.credentials_sealed,
  }
}
