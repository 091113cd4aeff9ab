import { z } from 'zod'
import { RequestValidationError, ResourceNotFound, ServiceUnavailable } from './errors.ts'
import { Id, OrganizationIdInput, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

const SenderRecord = z
  .object({
    purpose: z.enum(['dkim', 'spf']),
    type: z.literal('TXT'),
    name: z.string(),
    value: z.string().describe('For `spf` an example: the record of the domain may contain more.'),
    is_found: z.boolean().nullable().describe('Whether the last check found it; null before the first check.'),
  })
  .meta({ id: 'MailSenderRecord' })

/** An address of a seller that mails come from as soon as the DNS of its domain proves it. */
export const MailSender = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    address: z.string(),
    status: z.enum(['pending', 'verified']).describe('`pending`: mails come from the address of the operator.'),
    checked_at: Timestamp.nullable(),
    records: z.array(SenderRecord).describe('What the DNS of the domain has to contain.'),
  })
  .meta({ id: 'MailSender' })
export type MailSender = z.infer<typeof MailSender>

/** A plain address at a domain with a dot, in ASCII: other scripts are written as the DNS has them. */
const SenderAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(
    /^[a-z0-9](?:[a-z0-9._+-]{0,62}[a-z0-9])?@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/,
    'Must be an address such as billing@shop.example.',
  )
  .meta({ example: 'billing@shop.example' })

const write = { scopes: ['organizations:write'], callers: ['organization', 'user'] } as const
const read = { scopes: ['organizations:read', 'organizations:write'], callers: ['organization', 'user'] } as const

export const createMailSender = operation({
  subject: 'mail.sender.create',
  summary: 'Name the address that mails of an organization come from; it is used once its domain is verified',
  http: { method: 'POST', path: '/v1/mail/senders', status: 201, ...write },
  request: z.object({ address: SenderAddress, organization_id: OrganizationIdInput }),
  reply: MailSender,
  errors: [RequestValidationError],
})

export const listMailSenders = operation({
  subject: 'mail.sender.list',
  summary: 'List the senders of organizations; each has at most one',
  http: { method: 'GET', path: '/v1/mail/senders', status: 200, ...read },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id) }),
  reply: ListReply(MailSender),
  errors: [],
})

export const verifyMailSender = operation({
  subject: 'mail.sender.verify',
  summary: 'Check the DNS of the domain of a sender now; it is also checked every day',
  http: { method: 'POST', path: '/v1/mail/senders/{id}/verify', status: 200, ...write },
  request: z.object({ id: Id }),
  reply: MailSender,
  errors: [ResourceNotFound, ServiceUnavailable],
})

export const deleteMailSender = operation({
  subject: 'mail.sender.delete',
  summary: 'Delete a sender; mails then come from the address of the operator',
  http: { method: 'DELETE', path: '/v1/mail/senders/{id}', status: 204, ...write },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})
