import { z } from 'zod'
import { Benefit } from './benefits.ts'
import { Customer } from './customers.ts'
import { ResourceNotFound } from './errors.ts'
import { event, type Event } from './event.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** Properties of a grant: `license_key_id` and `display_key` for license keys, none for a custom benefit. */
export const BenefitGrantProperties = z.record(z.string(), z.unknown()).meta({ id: 'BenefitGrantProperties' })

/** Fields of a grant: its source (order or subscription) and when it was granted and revoked. */
export const grantFields = {
  id: Id,
  ...timestamps,
  granted_at: Timestamp.nullable(),
  is_granted: z.boolean(),
  revoked_at: Timestamp.nullable(),
  is_revoked: z.boolean(),
  subscription_id: Id.nullable(),
  order_id: Id.nullable(),
  customer_id: Id,
  benefit_id: Id,
}

const sellerFields = {
  ...grantFields,
  user_id: Id.meta({ deprecated: true, description: 'Deprecated; use customer_id.' }),
  error: z.null(),
  customer: Customer,
  benefit: Benefit,
  properties: BenefitGrantProperties,
}

/** A benefit that a customer has or had through one order or one subscription. */
export const BenefitGrant = z.object(sellerFields).meta({ id: 'BenefitGrant' })
export type BenefitGrant = z.infer<typeof BenefitGrant>

/** A grant as sent in events. */
export const BenefitGrantWebhook = z
  .object({ ...sellerFields, previous_properties: BenefitGrantProperties.nullable() })
  .meta({ id: 'BenefitGrantWebhook' })
export type BenefitGrantWebhook = z.infer<typeof BenefitGrantWebhook>

export const listBenefitGrants = operation({
  subject: 'orders.benefit.list-grants',
  summary: 'List the current and revoked grants of a benefit, newest first',
  http: {
    method: 'GET',
    path: '/v1/benefits/{id}/grants',
    status: 200,
    scopes: ['benefits:read', 'benefits:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, ...pageRequest, is_granted: z.boolean().optional(), customer_id: oneOrMany(Id) }),
  reply: ListReply(BenefitGrant),
  errors: [ResourceNotFound],
})

/** An event about one grant. */
export type GrantEvent = Event<typeof BenefitGrantWebhook>

export const benefitGrantCreated = event({
  subject: 'event.benefit_grant.created',
  publisher: 'orders',
  webhookType: 'benefit_grant.created',
  summary: 'A customer was granted a benefit by this order or subscription for the first time.',
  payload: BenefitGrantWebhook,
})

export const benefitGrantUpdated = event({
  subject: 'event.benefit_grant.updated',
  publisher: 'orders',
  webhookType: 'benefit_grant.updated',
  summary: 'A grant was changed, or granted again after it had been revoked.',
  payload: BenefitGrantWebhook,
})

export const benefitGrantCycled = event({
  subject: 'event.benefit_grant.cycled',
  publisher: 'orders',
  webhookType: 'benefit_grant.cycled',
  summary: 'The subscription of a grant was renewed and paid.',
  payload: BenefitGrantWebhook,
})

export const benefitGrantRevoked = event({
  subject: 'event.benefit_grant.revoked',
  publisher: 'orders',
  webhookType: 'benefit_grant.revoked',
  summary: 'A customer lost a benefit.',
  payload: BenefitGrantWebhook,
})
