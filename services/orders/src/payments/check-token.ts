import type { Logger } from '@quittance/runtime/logger'
import { openProvider, type ProviderAccount } from '../providers/provider-of.ts'

/** `unknown`: the provider did not reply in time; the submission decides. */
export type TokenCheck = 'usable' | 'unusable' | 'unknown'

/** Short, because the call moves no money and an unknown result loses nothing. */
const deadlineMs = 1_500

/** Checks whether a token of a provider's form can be used, by a read. Returns undefined if the provider is not offered. */
export async function checkToken(
  token: string,
  { account, log }: { account: ProviderAccount; log: Logger },
): Promise<TokenCheck | undefined> {
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
