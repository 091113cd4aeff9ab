import { randomUUID } from 'node:crypto'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { createPaymentAccount as contract } from '@quittance/contracts/payment-accounts'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { requireSecretKeys, sealCredential } from '../providers/account-credentials.ts'
import { PaymentAccount, paymentAccountView } from './payment-account.ts'
import { assertKeyModes, requireAccountAdapter, verifyKey, type VerifiedKey } from './verify-credentials.ts'

/** Verifies the key at the provider by reads, then stores it sealed under the id of the account. */
export const createPaymentAccount = staged(contract, {
  async look({ provider, mode, secret_key, publishable_key, organization_id }, { caller }) {
    const adapter = requireAccountAdapter(provider)
    requireSecretKeys()
    resolveOrganization(caller, organization_id)
    assertKeyModes(adapter, { mode, secretKey: secret_key, publishableKey: publishable_key })
    return verifyKey(adapter, { secretKey: secret_key, mode, expected: null })
  },
  commit: (request, context) => insertAccount(request, { ...context, verified: context.looked }),
  finish: ({ id }, { read }) => read.one(paymentAccountView, { where: 'a.id = :id', values: { id } }),
})

async function insertAccount(
  request: RequestOf<typeof contract>,
  { em, caller, now, lockNames, verified }: CommandContext & { verified: VerifiedKey | undefined },
): Promise<{ id: string }> {
  if (!verified) throw new Error('The key was not verified')
  const organizationId = resolveOrganization(caller, request.organization_id)
  const { provider, mode } = request
  await lockNames([`payment accounts ${organizationId}`])
  const others = await em.find(PaymentAccount, { organizationId })
  if (others.some((other) => other.provider === provider && other.providerAccount === verified.account && other.mode === mode)) {
    throw RequestValidationError.field(['secret_key'], 'A payment account for this account at the provider already exists.')
  }
  const previous = others.find(({ isDefault }) => isDefault)
  const isDefault = request.is_default ?? !previous
  if (isDefault && previous) {
    previous.isDefault = false
    await em.flush()
  }
  const id = randomUUID()
  const key = sealCredential(request.secret_key, id)
  const account = em.create(PaymentAccount, {
    ...{ id, organizationId, provider, mode, isDefault, status: 'active', providerAccount: verified.account },
    ...{ credentialsSealed: key.sealed, webhookSecretsSealed: [], publishableKey: request.publishable_key ?? null },
    settings: { secret_key_last4: key.last4, webhook_secret_last4: [], webhook_secret_added_at: null },
    ...{ health: verified.health, checkedAt: now },
  })
  if (request.webhook_secret) account.addWebhookSecret(sealCredential(request.webhook_secret, id), now)
  return { id }
}
