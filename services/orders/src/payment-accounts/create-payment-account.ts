import { randomUUID } from 'node:crypto'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { createPaymentAccount as contract } from '@quittance/contracts/payment-accounts'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { requireSecretKeys, sealCredential } from '../providers/account-credentials.ts'
import { isOffered } from '../providers/account-adapters.ts'
import { PaymentAccount, paymentAccountView } from './payment-account.ts'
import { assertKeyModes, createNotOfferedError, requireAccountAdapter, verifyKey, type VerifiedKey } from './verify-credentials.ts'

type Request = RequestOf<typeof contract>

/** Verifies the key at the provider by reads, then stores it sealed under the id of the account. A bank account has no key. */
export const createPaymentAccount = staged(contract, {
  async prepare(request, { caller }) {
    resolveOrganization(caller, request.organization_id)
    return request.provider === 'bank_transfer' ? verifyBankAccount(request) : verifyKeys(request)
  },
  commit: (request, context) => insertAccount(request, { ...context, verified: context.prepared }),
  finish: ({ id }, { read }) => read.one(paymentAccountView, { where: 'a.id = :id', values: { id } }),
})

function verifyKeys({ provider, mode, secret_key, publishable_key, bank }: Request): Promise<VerifiedKey> {
  if (!secret_key) throw RequestValidationError.field(['secret_key'], 'Required for this provider.')
  if (bank) throw RequestValidationError.field(['bank'], 'Only an account of bank_transfer has these details.')
  const adapter = requireAccountAdapter(provider)
  requireSecretKeys()
  assertKeyModes(adapter, { mode, secretKey: secret_key, publishableKey: publishable_key })
  return verifyKey(adapter, { secretKey: secret_key, mode, expected: null })
}

function verifyBankAccount({ provider, bank, secret_key, publishable_key, webhook_secret }: Request): VerifiedKey {
  if (!isOffered(provider)) throw createNotOfferedError(provider)
  if (!bank) throw RequestValidationError.field(['bank'], 'Required for this provider.')
  if (secret_key || publishable_key || webhook_secret) throw new NotPermitted('A bank account has no credentials.')
  return { account: bank.iban, health: { is_healthy: true, lacking: [], detail: null } }
}

async function insertAccount(
  request: Request,
  { em, caller, now, lockNames, verified }: CommandContext & { verified: VerifiedKey | undefined },
): Promise<{ id: string }> {
  if (!verified) throw new Error('The key was not verified')
  const organizationId = resolveOrganization(caller, request.organization_id)
  const { provider, mode, secret_key, bank } = request
  await lockNames([`payment accounts ${organizationId}`])
  const others = await em.find(PaymentAccount, { organizationId })
  if (others.some((other) => other.provider === provider && other.providerAccount === verified.account && other.mode === mode)) {
    throw RequestValidationError.field(
      bank ? ['bank', 'iban'] : ['secret_key'],
      'A payment account for this account at the provider already exists.',
    )
  }
  const previous = others.find(({ isDefault }) => isDefault)
  const isDefault = request.is_default ?? (!previous && !bank)
  if (isDefault && previous) {
    previous.isDefault = false
    await em.flush()
  }
  const id = randomUUID()
  const key = secret_key ? sealCredential(secret_key, id) : { sealed: null, last4: '' }
  const account = em.create(PaymentAccount, {
    id,
    organizationId,
    provider,
    mode,
    isDefault,
    status: 'active',
    providerAccount: verified.account,
    credentialsSealed: key.sealed,
    webhookSecretsSealed: [],
    publishableKey: request.publishable_key ?? null,
    settings: { secret_key_last4: key.last4, webhook_secret_last4: [], webhook_secret_added_at: null, ...(bank && { bank }) },
    health: verified.health,
    checkedAt: now,
  })
  if (request.webhook_secret) account.addWebhookSecret(sealCredential(request.webhook_secret, id), now)
  return { id }
}
