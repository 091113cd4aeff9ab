import { LockMode } from '@mikro-orm/core'
import { Conflict, NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import {
  checkPaymentAccount as checkContract,
  deletePaymentAccount as deleteContract,
  updatePaymentAccount as updateContract,
} from '@quittance/contracts/payment-accounts'
import { command, staged, type CommandContext, type QueryContext } from '@quittance/runtime/handler'
import {
  isSameCredential,
  openCredentials,
  requireSecretKeys,
  sealCredential,
  type SealedAccount,
} from '../providers/account-credentials.ts'
import { PaymentAccount, paymentAccountView, type AccountHealth } from './payment-account.ts'
import { publishUnhealthy } from './record-health.ts'
import { assertKeyModes, requireAccountAdapter, toHealth, verifyKey, type VerifiedKey } from './verify-credentials.ts'

const find = `
  select id, provider, mode, provider_account, credentials_sealed, webhook_secrets_sealed,
    settings->>'webhook_secret_added_at' as webhook_secret_added_at
  from payment_accounts where id = :id and organization_id = any (:scope_organizations)`

async function requireAccount({ sql }: Pick<QueryContext, 'sql'>, id: string): Promise<SealedAccount & { provider: string }> {
  const [account] = await sql<SealedAccount & { provider: string }>('payment-account.find-sealed', find, { id })
  if (!account) throw new ResourceNotFound()
  return account
}

/** Verifies a new key at the provider by reads: it must be one of the same account. */
export const updatePaymentAccount = staged(updateContract, {
  async prepare({ id, secret_key, publishable_key, webhook_secret }, context) {
    const { provider, mode, provider_account: expected, credentials_sealed: sealed } = await requireAccount(context, id)
    if (!secret_key && !publishable_key && !webhook_secret) return { verified: null }
    if (sealed === null) throw new NotPermitted('A bank account has no credentials.')
    requireSecretKeys()
    const adapter = requireAccountAdapter(provider)
    assertKeyModes(adapter, { mode, secretKey: secret_key, publishableKey: publishable_key })
    return { verified: secret_key ? await verifyKey(adapter, { secretKey: secret_key, mode, expected }) : null }
  },
  commit: (request, context) => changeAccount(request, { ...context, verified: context.prepared?.verified ?? null }),
  finish: ({ id }, { read }) => read.one(paymentAccountView, { where: 'a.id = :id', values: { id } }),
})

async function changeAccount(
  { id, secret_key, publishable_key, webhook_secret, status, is_default }: RequestOf<typeof updateContract>,
  { em, now, lockNames, verified }: CommandContext & { verified: VerifiedKey | null },
): Promise<{ id: string }> {
  const account = await em.findOneOrFail(PaymentAccount, id)
  if (secret_key && verified) {
    const { sealed, last4 } = sealCredential(secret_key, id)
    account.credentialsSealed = sealed
    account.settings = { ...account.settings, secret_key_last4: last4 }
    account.health = verified.health
    account.checkedAt = now
  }
  if (publishable_key) account.publishableKey = publishable_key
  const isKnown = webhook_secret && isSameCredential(account.webhookSecretsSealed[0], { secret: webhook_secret, accountId: id })
  if (webhook_secret && !isKnown) account.addWebhookSecret(sealCredential(webhook_secret, id), now)
  if (status === 'active') account.status = 'active'
  else if (status) Object.assign(account, { status, isDefault: false })
  if (!is_default || account.isDefault) return { id }
  if (account.status !== 'active') throw new Conflict('Only an active account can be the default.')
  await lockNames([`payment accounts ${account.organizationId}`])
  for (const previous of await em.find(PaymentAccount, { organizationId: account.organizationId, isDefault: true }))
    previous.isDefault = false
  await em.flush()
  account.isDefault = true
  return { id }
}

const hasRows = `
  select exists (select from payments where payment_account_id = :id and organization_id = any (:scope_organizations))
    or exists (select from payers where payment_account_id = :id and organization_id = any (:scope_organizations))
    or exists (select from payment_setups where payment_account_id = :id and organization_id = any (:scope_organizations))
    or exists (select from provider_events where payment_account_id = :id and organization_id = any (:scope_organizations))
    or exists (select from bank_receipts where payment_account_id = :id and organization_id = any (:scope_organizations)) as is_used`

/** Its payments, refunds and disputes need the credentials of an account that was used: it stays, and takes no new payments. */
export const deletePaymentAccount = command(deleteContract, async ({ id }, { em, sql }) => {
  // Rows that refer to it wait: they are seen below, or come too late.
  const account = await em.findOneOrFail(PaymentAccount, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const [found] = await sql<{ is_used: boolean }>('payment-account.is-used', hasRows, { id })
  if (found?.is_used) account.drain()
  else em.remove(account)
  return null
})

/** Reads account, mode and permissions with the stored key. */
export const checkPaymentAccount = staged(checkContract, {
  async prepare({ id }, context) {
    const account = await requireAccount(context, id)
    if (account.credentials_sealed === null) throw new NotPermitted('A bank account has no credentials to check.')
    const adapter = requireAccountAdapter(account.provider)
    const credentials = openCredentials(account, context.now)
    return toHealth(await adapter.open(credentials).health(), { mode: account.mode, expected: account.provider_account })
  },
  async commit({ id }, context): Promise<{ id: string }> {
    const { em, now, prepared } = context
    const account = await em.findOneOrFail(PaymentAccount, id)
    const wasHealthy = account.health?.is_healthy ?? true
    account.health = prepared as AccountHealth
    account.checkedAt = now
    if (wasHealthy && !account.health.is_healthy) {
      await em.flush()
      await publishUnhealthy(context, id)
    }
    return { id }
  },
  finish: ({ id }, { read }) => read.one(paymentAccountView, { where: 'a.id = :id', values: { id } }),
})
