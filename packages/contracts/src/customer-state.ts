import { z } from 'zod'
import { deprecatedSince } from './changes.ts'
import { BenefitGrantProperties } from './benefit-grants.ts'
import { BenefitType } from './benefits.ts'
import { Customer } from './customers.ts'
import { Conflict, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { ExternalId, Id, Timestamp, timestamps } from './identifiers.ts'
import { Metadata } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { RecurringInterval } from './product-prices.ts'

/** Bytes of the metadata of a customer's benefits, and of their subscriptions: a state is one reply and one event, which have at most 8 MB. */
export const maxStateMetadataBytes = 3 * 1024 * 1024

const StateMetadata = Metadata.describe(
  `Empty in every item of the list if they have more than ${maxStateMetadataBytes / 1024 / 1024} MiB in all.`,
)

/** A subscription that gives access: `active` or in trial. Its status is `active` in both cases; `trial_end` shows a trial that has not ended. */
const CustomerStateSubscription = z
  .object({
    id: Id,
    ...timestamps,
    custom_field_data: z.record(z.string(), z.unknown()),
    metadata: StateMetadata,
    status: z.literal('active'),
    amount: Amount,
    currency: Currency,
    recurring_interval: RecurringInterval,
    current_period_start: Timestamp,
    current_period_end: Timestamp.nullable(),
    cancel_at_period_end: z.boolean(),
    canceled_at: Timestamp.nullable(),
    trial_start: Timestamp.nullable(),
    trial_end: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    ends_at: Timestamp.nullable(),
    product_id: Id,
    discount_id: Id.nullable(),
    meters: z.array(z.unknown()),
    price_id: Id.nullable().meta(deprecatedSince('2025-03-14', 'use the prices of the subscription')),
  })
  .meta({ id: 'CustomerStateSubscription' })

const CustomerStateBenefitGrant = z
  .object({
    id: Id,
    ...timestamps,
    granted_at: Timestamp,
    benefit_id: Id,
    benefit_type: BenefitType,
    benefit_metadata: StateMetadata,
    properties: BenefitGrantProperties,
  })
  .meta({ id: 'CustomerStateBenefitGrant' })

/** A customer with all current subscriptions and benefits in one reply. Applications read it to decide on access. */
export const CustomerState = Customer.extend({
  active_subscriptions: z.array(CustomerStateSubscription),
  granted_benefits: z.array(CustomerStateBenefitGrant),
  active_meters: z.array(z.unknown()),
}).meta({ id: 'CustomerState' })
export type CustomerState = z.infer<typeof CustomerState>

const reading = { method: 'GET', status: 200, scopes: ['customers:read', 'customers:write'], callers: ['organization', 'user'] } as const

export const getCustomerState = operation({
  subject: 'orders.customer.get-state',
  summary: 'Get a customer with their active subscriptions and granted benefits',
  http: { ...reading, path: '/v1/customers/{id}/state' },
  request: z.object({ id: Id }),
  reply: CustomerState,
  errors: [ResourceNotFound],
})

export const getCustomerStateByExternalId = operation({
  subject: 'orders.customer.get-state-by-external-id',
  summary: 'Get a customer with their active subscriptions and granted benefits by your external id',
  http: { ...reading, path: '/v1/customers/external/{external_id}/state' },
  request: z.object({ external_id: ExternalId }),
  reply: CustomerState,
  errors: [ResourceNotFound, Conflict],
})

export const customerStateChanged = event({
  subject: 'event.customer.state_changed',
  publisher: 'orders',
  webhookType: 'customer.state_changed',
  summary: 'A customer, their subscriptions or their benefits changed; follows the events that describe the change.',
  payload: CustomerState,
})
