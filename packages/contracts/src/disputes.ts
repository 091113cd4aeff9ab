import { z } from 'zod'
import { Customer } from './customers.ts'
import { ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { type HttpBinding, operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

export const DisputeStatus = z.enum(['warning', 'needs_response', 'under_review', 'won', 'lost', 'prevented', 'closed'])

/** A dispute of a payment, as its provider reported it last. Evidence is submitted in the dashboard of the provider. */
export const Dispute = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    payment_id: Id,
    order_id: Id,
    provider: z.string(),
    status: DisputeStatus.describe('`won`, `lost`, `prevented` and `closed` are final.'),
    resolved: z.boolean().describe('Whether it was won or lost.'),
    closed: z.boolean().describe('Whether its status is final.'),
    amount: Amount,
    tax_amount: Amount.describe('The share of tax in `amount`, as in the order.'),
    currency: Currency,
    reason: z.string().describe('As the provider names it.'),
    evidence_due_by: Timestamp.nullable(),
    past_due: z.boolean().describe('Whether evidence was due before now and the dispute is not closed.'),
    case_id: z.null().describe('There are no support cases.'),
    funds: z.enum(['none', 'withdrawn', 'reinstated']).describe('Whether the amount was withdrawn from the account, and reinstated.'),
    customer: Customer,
  })
  .meta({ id: 'Dispute' })
export type Dispute = z.infer<typeof Dispute>

const reads = { status: 200, scopes: ['disputes:read', 'payments:read'], callers: ['organization', 'user'] } satisfies Partial<HttpBinding>

export const listDisputes = operation({
  subject: 'orders.dispute.list',
  summary: 'List disputes',
  http: { method: 'GET', path: '/v1/disputes/', ...reads },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    order_id: oneOrMany(Id),
    payment_id: oneOrMany(Id),
    status: oneOrMany(DisputeStatus),
    sorting: sorting(['created_at', 'amount', 'evidence_due_by'], '-created_at'),
  }),
  reply: ListReply(Dispute),
  errors: [],
})

export const getDispute = operation({
  subject: 'orders.dispute.get',
  summary: 'Get a dispute',
  http: { method: 'GET', path: '/v1/disputes/{id}', ...reads },
  request: z.object({ id: Id }),
  reply: Dispute,
  errors: [ResourceNotFound],
})

export const disputeCreated = event({
  subject: 'event.dispute.created',
  publisher: 'orders',
  webhookType: 'dispute.created',
  summary: 'A payment was disputed, or the bank of the buyer asked about it.',
  payload: Dispute,
})

export const disputeUpdated = event({
  subject: 'event.dispute.updated',
  publisher: 'orders',
  webhookType: 'dispute.updated',
  summary: 'The status, the funds or the due date of a dispute changed.',
  payload: Dispute,
})
