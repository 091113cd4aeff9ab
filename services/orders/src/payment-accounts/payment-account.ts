import { defineEntity, p } from '@mikro-orm/core'
import type { BankAccount, PaymentAccount as PaymentAccountReply } from '@quittance/contracts/payment-accounts'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { View } from '@quittance/sql/view'
import type { Mode } from '../providers/provider.ts'

/** Values beside the columns; no secrets, except their last four characters. */
interface AccountSettings {
  secret_key_last4: string
  webhook_secret_last4: string[]
  /** When the newest webhook secret was added. */
  webhook_secret_added_at: string | null
  /** Of an account to which buyers send money. */
  bank?: BankAccount
}

/** Result of the last check. */
export interface AccountHealth {
  is_healthy: boolean
  lacking: string[]
  detail: string | null
}

export const PaymentAccountSchema = defineEntity({
  name: 'PaymentAccount',
  tableName: 'payment_accounts',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    provider: p.text(),
    mode: p.text().$type<Mode>(),
    providerAccount: p.text().nullable(),
    credentialsSealed: p.text().nullable(),
    /** Newest first. */
    webhookSecretsSealed: p.array(),
    publishableKey: p.text().nullable(),
    settings: p.json<AccountSettings>(),
    status: p.text().$type<'active' | 'draining' | 'disabled'>(),
    isDefault: p.boolean(),
    health: p.json<AccountHealth>().nullable(),
    checkedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

export class PaymentAccount extends PaymentAccountSchema.class {
  /** Puts a webhook secret before the previous one, which is accepted for another 24 hours. */
  addWebhookSecret({ sealed, last4 }: { sealed: string; last4: string }, now: Date): void {
    const { webhook_secret_last4: known } = this.settings
    this.webhookSecretsSealed = [sealed, ...this.webhookSecretsSealed].slice(0, 2)
    this.settings = { ...this.settings, webhook_secret_last4: [last4, ...known].slice(0, 2), webhook_secret_added_at: now.toISOString() }
  }

  /** New payments no longer go through this account. */
  drain(): void {
    this.status = 'draining'
    this.isDefault = false
  }
}
PaymentAccountSchema.setClass(PaymentAccount)

const overlap = `a.settings->>'webhook_secret_added_at' is null
  or (a.settings->>'webhook_secret_added_at')::timestamptz > now() - interval '24 hours'`

export const paymentAccountView: View<PaymentAccountReply> = {
  name: 'payment-account',
  organization: 'a.organization_id',
  from: 'payment_accounts a',
  columns: `a.id, a.created_at, a.modified_at, a.organization_id, a.provider, a.mode, a.provider_account, a.publishable_key,
    a.settings->>'secret_key_last4' as secret_key_last4,
    case when ${overlap} then a.settings->'webhook_secret_last4'
      else jsonb_build_array(a.settings->'webhook_secret_last4'->0) end as webhook_secret_last4, a.settings->'bank' as bank,
    a.status, a.is_default, a.health, a.checked_at, '/v1/payment-accounts/' || a.id || '/events' as events_path`,
}
