import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { createResealJob } from '@quittance/runtime/reseal-secrets'
import { config } from './config.ts'
import { mailboxContext } from './mailbox/mailbox-routes.ts'
import { senderKeyContext } from './senders/sender-operations.ts'

type SecretKind = Parameters<typeof mailSecretContext>[0]

/** Seals everything stored under MAIL_KEY again after a change of the key. What auth and orders sent arrives under their first key. */
export const resealSecrets = createResealJob({
  getKeys: () => config().MAIL_KEY,
  columns: [
    {
      table: 'senders',
      column: 'sealed_private_key',
      type: 'text',
      key: ['id', 'uuid'],
      contextOn: 'id',
      context: senderKeyContext,
    },
    {
      table: 'messages',
      column: 'sealed_secret',
      type: 'text',
      key: ['id', 'uuid'],
      contextOn: `kind || ' ' || source_id`,
      context(kindAndSource) {
        const [kind, sourceId] = kindAndSource.split(' ') as [SecretKind, string]
        return mailSecretContext(kind, sourceId)
      },
      where: `status = 'waiting'`,
    },
    {
      table: 'mailbox_messages',
      column: 'sealed_source',
      type: 'text',
      key: ['id', 'uuid'],
      contextOn: 'id',
      context: mailboxContext,
    },
  ],
})
