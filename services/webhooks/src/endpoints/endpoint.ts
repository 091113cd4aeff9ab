import { defineEntity, p } from '@mikro-orm/core'
import type { WebhookEventType } from '@quittance/contracts/webhooks'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const EndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    url: p.text(),
    format: p.text().$type<'raw' | 'discord' | 'slack'>(),
    events: p.array<WebhookEventType>(),
    /** Null once deleted. */
    sealedSecret: p.text().nullable(),
    deletedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

interface EndpointChange {
  url?: string | null | undefined
  events?: WebhookEventType[] | null | undefined
  sealedSecret?: string | undefined
}

export class Endpoint extends EndpointSchema.class {
  /** Null changes nothing. What changes holds from the next attempt on, also for events that wait. */
  change({ url, events, sealedSecret }: EndpointChange): void {
    if (url) this.url = url
    if (events) this.events = events
    if (sealedSecret) this.sealedSecret = sealedSecret
  }

  /** The row stays for the sake of what was sent to it; the secret does not. */
  delete(now: Date): void {
    this.deletedAt = now
    this.sealedSecret = null
  }
}
EndpointSchema.setClass(Endpoint)
