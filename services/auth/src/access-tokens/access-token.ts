import { defineEntity, p } from '@mikro-orm/core'
import type { PersonalScope } from '@quittance/contracts/scopes'
import { aggregateProperties } from '@quittance/runtime/schema'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { RequestValidationError } from '@quittance/contracts/errors'

/** An access token. Found by hash or by account, so the organization filter does not apply; the handlers check membership. */
export const AccessTokenSchema = defineEntity({
  name: 'AccessToken',
  tableName: 'access_tokens',
  properties: {
    ...aggregateProperties,
    kind: p.text().$type<'organization' | 'personal'>(),
    tokenHash: p.text(),
    organizationId: p.uuid().nullable(),
    /** Organizations a personal token is bound to; null for all organizations of the user. */
    organizationIds: p.array().columnType('uuid[]').nullable(),
    accountId: p.uuid(),
    comment: p.text(),
    scopes: p.array<PersonalScope>(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

interface Issue {
  kind: 'organization' | 'personal'
  organizationId: string | null
  /** Of a personal token; null for all organizations of the user, now and later. */
  organizationIds: string[] | null
  accountId: string
  comment: string
  scopes: PersonalScope[]
  /** Null: does not expire. */
  expiresAt: Date | null
}

export class AccessToken extends AccessTokenSchema.class {
  /** Revokes the token. Returns true if this call revoked it; revoking twice is not an error. */
  revoke(now: Date): boolean {
    if (this.revokedAt) return false
    this.revokedAt = now
    return true
  }

  /** Changes the given fields and keeps the others. Returns true if the scopes changed. */
  change({ comment, scopes }: { comment?: string | null | undefined; scopes?: PersonalScope[] | null | undefined }): boolean {
    const before = this.scopes.toSorted().join(' ')
    if (comment != null) this.comment = comment
    if (scopes) this.scopes = [...new Set(scopes)]
    return this.scopes.toSorted().join(' ') !== before
  }
}
AccessTokenSchema.setClass(AccessToken)

/** Creates a token: the clear text for its owner, and the row that stores its hash. */
export function issueToken(issue: Issue) {
  const token = mintToken(issue.kind === 'organization' ? 'qt_oat_' : 'qt_pat_')
  const row = { ...issue, scopes: [...new Set(issue.scopes)], tokenHash: hashToken(token), lastUsedAt: null, revokedAt: null }
  return { token, row }
}

const duration = /^P(?:(\d+)W|(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$/

/** 100 years of 365 days, in seconds. */
const longest = 3_153_600_000

/**
 * Computes when a credential expires: seconds or an ISO 8601 duration from now, null for never. Years and months follow the calendar in UTC
 * (31 January plus one month is the last day of February). Throws `RequestValidationError` on `expires_in` outside one second to 100 years.
 */
export function parseExpiry(expiresIn: number | string | null, now: Date): Date | null {
  if (expiresIn === null) return null
  const end = typeof expiresIn === 'number' ? new Date(now.getTime() + expiresIn * 1000) : addDuration(expiresIn, now)
  const seconds = (end.getTime() - now.getTime()) / 1000
  if (seconds >= 1 && seconds <= longest) return end
  throw RequestValidationError.field(['expires_in'], 'Must be between one second and 100 years.')
}

function addDuration(text: string, now: Date): Date {
  const parts =
    duration
      .exec(text)
      ?.slice(1)
      .map((part) => Number(part?.replace(',', '.') ?? 0)) ?? []
  const [weeks = NaN, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const moved = addMonths(now, years * 12 + months)
  return new Date(moved.getTime() + ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
}

function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}
