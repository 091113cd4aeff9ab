import type { confirmCheckout } from '@quittance/contracts/checkouts'
import type { RequestOf } from '@quittance/contracts/operation'
import type { QueryContext } from '@quittance/runtime/handler'
import { openProvider, toSandboxAccount, type ProviderAccount } from '../providers/provider-of.ts'
import { checkoutBySecretView, type CheckoutBySecret } from './checkout-view.ts'

/** `unknown`: the provider did not reply in time; the payment decides. */
export type TokenCheck = 'usable' | 'unusable' | 'unknown'

/** Short, because the call moves no money and an unknown result loses nothing. */
const deadlineMs = 1_500

const isOpen = `ch.client_secret = :client_secret and ch.status = 'open' and ch.expires_at > now()`

/** Checks whether the token of a confirmation can be used. Does not call the provider for a checkout that cannot be confirmed. */
export async function checkPaymentToken(
  { client_secret, confirmation_token_id: token }: RequestOf<typeof confirmCheckout>,
  { read, log }: QueryContext,
): Promise<TokenCheck | undefined> {
  if (!token) return undefined
  const found = await read.oneOrNull(checkoutBySecretView, { where: isOpen, values: { client_secret } })
  if (found === null) return undefined
  const account = toAccount(JSON.parse(found))
  if (account.pausedUntil && account.pausedUntil > new Date()) return 'unknown'
  const provider = openProvider(account, {
    transaction: () => Promise.reject(new Error('A check opens no transaction')),
  })
  if (!provider) return undefined
  const overdue = new Promise<'overdue'>((resolve) => setTimeout(resolve, deadlineMs, 'overdue').unref())
  const answer = await Promise.race([provider.check(token), overdue]).catch((error: unknown) => {
    log.warn({ err: error }, 'payment-token.not-checked')
    return 'overdue' as const
  })
  if (answer === 'overdue' || !('got' in answer)) return 'unknown'
  return answer.got.usable ? 'usable' : 'unusable'
}

function toAccount({ organization_id: organizationId, account }: CheckoutBySecret): ProviderAccount {
  if (!account) return toSandboxAccount(organizationId)
  const { id, provider, mode, provider_account, credentials_sealed, paused_until: paused } = account
  return {
    organizationId,
    id,
    provider,
    mode,
    providerAccount: provider_account ?? '',
    credentialsSealed: credentials_sealed,
    pausedUntil: paused ? new Date(paused) : null,
  }
}
