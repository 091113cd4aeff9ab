import type { confirmCheckout } from '@quittance/contracts/checkouts'
import type { RequestOf } from '@quittance/contracts/operation'
import type { QueryContext } from '@quittance/runtime/handler'
import { checkToken, type TokenCheck } from '../payments/check-token.ts'
import { toSandboxAccount, type ProviderAccount } from '../providers/provider-of.ts'
import { checkoutBySecretView, type CheckoutBySecret } from './checkout-view.ts'

const isOpen = `ch.client_secret = :client_secret and ch.status = 'open' and ch.expires_at > now()`

/** Checks whether the token of a confirmation can be used. Does not call the provider for a checkout that cannot be confirmed. */
export async function checkPaymentToken(
  { client_secret, confirmation_token_id: token }: RequestOf<typeof confirmCheckout>,
  { read, log }: QueryContext,
): Promise<TokenCheck | undefined> {
  if (!token) return undefined
  const found = await read.oneOrNull(checkoutBySecretView, { where: isOpen, values: { client_secret } })
  if (found === null) return undefined
  return checkToken(token, { account: toAccount(JSON.parse(found)), log })
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
