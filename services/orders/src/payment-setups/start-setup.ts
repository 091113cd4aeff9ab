import type { Transaction } from '@quittance/runtime/handler'
import { settleDueSetupsJobName } from '../job-names.ts'
import { ensurePayer } from '../payers/payers.ts'
import { beforeFirstCall } from '../payments/progress-columns.ts'
import type { ProviderAccount } from '../providers/provider-of.ts'
import { PaymentSetup } from './payment-setup.ts'

/** How a payment method is stored without a charge. */
export interface SetupStart {
  customerId: string
  account: ProviderAccount
  /** Confirmation token of the provider's form. */
  token: string
  /** The method becomes the default of the customer, which subscriptions then follow. The first one always does. */
  setDefault: boolean
  /** The checkout that waits for the setup. A checkout has one open setup at most. */
  checkoutId?: string | null
  /** Where the provider sends a buyer back who left the page; without it only methods that stay on the page can be used. */
  returnUrl?: string | null
  /** The request itself makes the calls until then; otherwise the job does, right after the commit. */
  leasedUntil?: Date
}

/** Starts a setup. The caller has locked the customer. No call is made here. Returns its id. */
export async function startSetup(context: Transaction, start: SetupStart): Promise<string> {
  const { em, now, sql, wake, traceparent } = context
  const { customerId, account, token, leasedUntil = null, returnUrl = null } = start
  const { organizationId } = account
  await ensurePayer(sql, { customerId, paymentAccountId: account.id })
  const { id } = em.create(PaymentSetup, {
    organizationId,
    customerId,
    checkoutId: start.checkoutId ?? null,
    setDefault: start.setDefault,
    returnUrl,
    provider: account.provider,
    paymentAccountId: account.id,
    mode: account.mode,
    ...beforeFirstCall,
    request: {
      keep: true,
      buyerPresent: true,
      source: { token },
      returnUrl,
      description: '',
      statement: null,
      references: { organization: organizationId, customer: customerId, order: null },
    },
    nextCheckAt: now,
    leasedUntil,
    traceparent,
  })
  if (!leasedUntil) wake(settleDueSetupsJobName)
  return id
}
