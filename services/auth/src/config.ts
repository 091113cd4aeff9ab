import { readCidrs } from '@quittance/runtime/address-policy'
import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

export const AuthConfig = z.object({
  BASE_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the API; also the issuer of every token.'),
  AUTH_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the pages people sign in and consent on.'),
  SECRETS_KEY: SecretKeys.describe(
    'Key that seals the signing keys and signs cookies: 32 bytes in base64; several during a rotation, of which the first seals. Losing it signs all users out.',
  ),
  MAIL_KEY: SecretKeys.optional().describe(
    'Key of mail, which encrypts links on their way to it. Unset: invitations are not mailed; their link is in the reply.',
  ),
  PASSWORD_HASH_COST: z.coerce
    .number()
    .int()
    .min(10)
    .max(20)
    .default(15)
    .describe(
      'Cost of a password hash: the base-2 logarithm of N of scrypt (r = 8, p = 3). 15 takes 32 MiB; each step doubles memory and time. Less is for tests. A sign-in replaces a hash of another cost.',
    ),
  CLIENT_REGISTRATION: z
    .enum(['off', 'accounts', 'open'])
    .default('accounts')
    .describe('Who may register OAuth clients through the API: only the operator, users with an account, or anyone.'),
  CLIENT_ID_DOCUMENTS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether an https address with a metadata document may be a client; `CLIENT_REGISTRATION=off` disables this too.'),
  CLIENT_ID_ALLOWED_CIDRS: z
    .string()
    .default('')
    .transform(readCidrs)
    .describe('Private networks that may contain metadata documents of clients, separated by commas. For development and closed networks.'),
})

export const config = () => readConfig(AuthConfig)
