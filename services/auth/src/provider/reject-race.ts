import { errors } from 'oidc-provider'
import type { UnitOfWork } from './unit-of-work.ts'

/** How a code or token was used before. */
export interface TokenUse {
  /** Time since its first use, by the clock of the database; null if it was not used. */
  used_ms_ago: number | null
  /** First use of a refresh token; null if it was not used, and for other tokens. */
  use: { from: string | null; isFollowed: boolean } | null
}

/**
 * How long after its use a refresh token may be repeated without ending its family. Longer than the gateway timeout, so that concurrent
 * requests are distinguished from theft even on a busy machine.
 */
const reuseGraceMs = 30_000

/**
 * Rejects the request but keeps the family if a client sent the same token several times at once: the request had started before the first
 * use, or, for a refresh token, comes from the same address within `reuseGraceMs`, before any issued token was used. Every other reuse is
 * treated as theft, and the library revokes the family.
 */
export async function rejectRace(
  { used_ms_ago, use }: TokenUse,
  { startedAt, address }: Pick<UnitOfWork, 'startedAt' | 'address'>,
  readUsedMsAgo: () => Promise<number>,
): Promise<void> {
  if (used_ms_ago === null || startedAt === null) return
  const isConcurrent = use !== null && use.from === address && used_ms_ago < reuseGraceMs && !use.isFollowed
  if (isConcurrent || (await wasUsedAfter(startedAt, readUsedMsAgo))) {
    throw new errors.InvalidGrant('used by another request at the same time')
  }
}

/**
 * Returns whether the token was used after the request had started. Compares two ages, because the clocks of this process and of the
 * database may differ. The age of the request is read first, so the delay of a statement never hides a theft. It can hide a race, so the
 * statement is repeated.
 */
async function wasUsedAfter(startedAt: number, readUsedMsAgo: () => Promise<number>): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const requestAgeMs = performance.now() - startedAt
    if ((await readUsedMsAgo()) <= requestAgeMs) return true
  }
  return false
}
