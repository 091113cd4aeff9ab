import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { EmailAddress, Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

export const resetPassword = operation({
  subject: 'auth.account.reset-password',
  summary: 'Create a one-time link with which a user sets a new password; it replaces the previous link of the account',
  request: z.object({
    email: EmailAddress,
    remove_second_factors: z
      .boolean()
      .default(false)
      .describe('Whether using the link also removes authenticator app, passkeys and recovery codes, for a user who lost them.'),
  }),
  reply: z.object({
    user_id: Id,
    url: z.string().describe('Send it to the user only: everyone who has the link can set the password. It works once.'),
    expires_at: Timestamp,
  }),
  errors: [ResourceNotFound],
  audience: 'operator',
})
