import { createResealJob } from '@quittance/runtime/reseal-secrets'
import { registrationTokenContext } from './clients/registration-token.ts'
import { config } from './config.ts'
import { totpContext } from './second-factors/totp.ts'

/** Seals everything stored under SECRETS_KEY again after a change of the key. Retired signing keys too: the release before opens them. */
export const resealSecrets = createResealJob({
  getKeys: () => config().SECRETS_KEY,
  columns: [
    {
      table: 'signing_keys',
      column: 'private_key_sealed',
      type: 'text',
      key: ['kid', 'text'],
      contextOn: 'kid',
      context: (kid) => kid,
    },
    {
      table: 'totp_secrets',
      column: 'secret_sealed',
      type: 'text',
      key: ['account_id', 'uuid'],
      contextOn: 'account_id',
      context: totpContext,
    },
    {
      table: 'clients',
      column: 'registration_token_sealed',
      type: 'text',
      key: ['client_id', 'text'],
      contextOn: 'client_id',
      context: registrationTokenContext,
    },
  ],
})
