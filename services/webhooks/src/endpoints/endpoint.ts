import { defineEntity, p } from '@mikro-orm/core'
import type { WebhookEventFilter } from '@quittance/contracts/webhook-event-types'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

interface PreviousSecret {
  sealed: string
  expires_at: string
}

/** Maximum number of replaced secrets that still sign. */
const maxPreviousSecrets = 5

export const EndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    url: p.text(),
    format: p.text().$type<'raw' | 'discord' | 'slack'>(),
    events: p.array<WebhookEventFilter>(),
    /** Null once deleted. */
    sealedSecret: p.text().nullable(),
    /** Replaced secrets that still sign, newest first. */
    sealedPrevious: p.json<PreviousSecret[]>(),
    /** Requests per second; null for no limit. */
    rateLimit: p.integer().nullable(),
    deletedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

interface EndpointChange {
  url?: string | null | undefined
  format?: 'raw' | 'discord' | 'slack' | null | undefined
  events?: WebhookEventFilter[] | null | undefined
  sealedSecret?: string | undefined
  /** Null removes the limit. */
  rateLimit?: number | null | undefined
}

export class Endpoint extends EndpointSchema.class {
  /**
   * Changes the endpoint; null leaves a property unchanged. Applies from the next attempt on, also to pending events, except for the format: what
   * is stored keeps its body in every attempt.
   */
  change({ url, format, events, sealedSecret, rateLimit }: EndpointChange): void {
    if (url) this.url = url
    if (format) this.format = format
    if (events) this.events = events
    if (rateLimit !== undefined) this.rateLimit = rateLimit
    if (!sealedSecret) return
    this.sealedSecret = sealedSecret
    this.sealedPrevious = []
  }

  /** Replaces the secret. Previous secrets keep signing for `overlapSeconds`; with 0 none does, because they may have leaked. */
  rotateSecret(sealed: string, { overlapSeconds, now }: { overlapSeconds: number; now: Date }): void {
    const isValid = ({ expires_at }: PreviousSecret) => Date.parse(expires_at) > now.getTime()
    const replaced = { sealed: this.sealedSecret ?? '', expires_at: new Date(now.getTime() + overlapSeconds * 1000).toISOString() }
    this.sealedPrevious = overlapSeconds > 0 ? [replaced, ...this.sealedPrevious.filter(isValid)].slice(0, maxPreviousSecrets) : []
    this.sealedSecret = sealed
  }

  /** Erases the secrets. The row stays, because its deliveries refer to it. */
  delete(now: Date): void {
    this.deletedAt = now
    this.sealedSecret = null
    this.sealedPrevious = []
  }
}
EndpointSchema.setClass(Endpoint)
