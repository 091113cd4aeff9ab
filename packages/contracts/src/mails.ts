import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { Id, oneOrMany, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

export const MailStatus = z.enum(['waiting', 'sent', 'failed', 'expired', 'disabled', 'cancelled'])

/** A mail to a customer or a member. Its row is kept for 400 days. */
export const MailMessage = z
  .object({
    id: Id,
    created_at: Timestamp,
    organization_id: Id,
    kind: z.string(),
    status: MailStatus.describe('`disabled`: switched off by `customer_email_settings`. `cancelled`: the customer was deleted.'),
    customer_id: Id.nullable(),
    recipient: z.string().nullable().describe('Null after the customer was deleted.'),
    attempts: z.int(),
    next_attempt_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    failure_reason: z.string().nullable().describe('Reply of the mail server to the last attempt.'),
  })
  .meta({ id: 'MailMessage' })
export type MailMessage = z.infer<typeof MailMessage>

export const listMailMessages = operation({
  subject: 'mail.message.list',
  summary: 'List the mails of an organization, newest first',
  http: { method: 'GET', path: '/v1/mail/messages', status: 200, scopes: ['customers:read'], callers: ['organization', 'user'] },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    customer_id: oneOrMany(Id),
    status: oneOrMany(MailStatus),
    kind: oneOrMany(z.string().max(50)),
  }),
  reply: ListReply(MailMessage),
  errors: [],
})

export const createMailOptOut = operation({
  subject: 'mail.opt-out.create',
  summary: 'Stop the optional mails of one kind to their recipient, with the token of such a mail (RFC 8058)',
  http: { method: 'POST', path: '/v1/mail/opt-outs', status: 204, scopes: [], callers: ['anonymous'], actsOn: ['token'] },
  request: z.object({ token: z.string().max(200) }),
  reply: z.null(),
  errors: [ResourceNotFound],
})
