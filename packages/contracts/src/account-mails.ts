import { z } from 'zod'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'

export const accountMailRequested = event({
  subject: 'event.account_mail.requested',
  publisher: 'auth',
  webhookType: null,
  summary: 'A mail to an account is due: an invitation with its link.',
  payload: z.object({
    kind: z.literal('invitation'),
    /** The invitation. */
    source_id: Id,
    recipient: z.string(),
    /** BCP 47; null if the language of the recipient is unknown. */
    locale: z.string().nullable(),
    expires_at: Timestamp,
    /** The link, encrypted under MAIL_KEY. */
    sealed_url: z.string(),
  }),
})
