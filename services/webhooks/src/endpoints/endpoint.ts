import { defineEntity, p } from '@mikro-orm/core'
import type { WebhookEventFilter } from '@quittance/contracts/webhooks'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

interface PreviousSecret {
  sealed: string
  expires_at: string
}

/** Most secrets that sign beside the newest. */
const mostPrevious = 5

export const EndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    url: p.text(),
    format: p.text().$type<'raw' | 'discord' | 'slack'>(),
    events: p.array<WebhookEventFilter>(),
    /** Null once deleted. */
    sealedSecret: p.text().nullable(),
    /** Secrets that were replaced and still sign, newest first. */
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
  /** Null takes the limit away. */
  rateLimit?: number | null | undefined
}

export class Endpoint extends EndpointSchema.class {
  /** Null changes nothing. What changes holds from the next attempt on, also for events that wait. */
  change({ url, format, events, sealedSecret, rateLimit }: EndpointChange): void {
    if (url) this.url = url
    if (format) this.format = format
    if (events) this.events = events
    if (rateLimit !== undefined) this.rateLimit = rateLimit
    if (!sealedSecret) return
    this.sealedSecret = sealedSecret
    this.sealedPrevious = []
  }

  /** The secret before goes on signing for that many seconds; none do where it is 0, as the secret may have leaked. */
  rotateSecret(sealed: string, { overlapSeconds, now }: { overlapSeconds: number; now: Date }): void {
    const isValid = ({ expires_at }: PreviousSecret) => Date.parse(expires_at) > now.getTime()
    const replaced = { sealed: this.sealedSecret ?? '', expires_at: new Date(now.getTime() + overlapSeconds * 1000).toISOString() }
    this.sealedPrevious = overlapSeconds > 0 ? [replaced, ...this.sealedPrevious.filter(isValid)].slice(0, mostPrevious) : []
    this.sealedSecret = sealed
  }

  /** The row stays for the sake of what was sent to it; the secrets do not. */
  delete(now: Date): void {
    this.deletedAt = now
    this.sealedSecret = null
    this.sealedPrevious = []
  }
}
EndpointSchema.setClass(Endpoint)
