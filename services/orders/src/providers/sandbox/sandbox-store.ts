import type { Transaction } from '@quittance/runtime/handler'
import type { Facts } from '../provider.ts'
import type { SandboxObject } from './sandbox-objects.ts'

/** Where the sandbox keeps its objects. It opens its own transactions, as another system does. */
export interface SandboxStore {
  organizationId: string
  transaction<T>(work: (sql: Transaction['sql']) => Promise<T>): Promise<T>
}

/** The account of all objects of the sandbox. */
export const sandboxAccount = 'sandbox'

interface Distortion {
  isPaid: boolean
  /** Added to the amount received, for tests of the comparison. */
  extra?: bigint
  isLive?: boolean
}

/** Returns what the sandbox reports about an object. */
export function toFacts({ id, ours, amount, currency }: SandboxObject, { isPaid, extra = 0n, isLive = false }: Distortion): Facts {
  const money = amount === null || currency === null ? null : { amount: BigInt(amount), currency }
  const received = isPaid && money ? { ...money, amount: money.amount + extra } : null
  return { ours, theirs: id, account: sandboxAccount, mode: isLive ? 'live' : 'test', money, received }
}
