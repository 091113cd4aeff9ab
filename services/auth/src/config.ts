import { readConfig, SecretKeys } from '@quittance/runtime/config'
import { z } from 'zod'

const address = z.url().transform((url) => url.replace(/\/+$/, ''))

export const AuthConfig = z.object({
  BASE_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the API; also the issuer of every token.'),
  AUTH_URL: address.prefault('http://127.0.0.1:8080').describe('Public address of the pages people sign in and consent on.'),
  SECRETS_KEY: SecretKeys.describe(
    'Key that seals the signing keys and signs cookies: 32 bytes in base64; several, newest first, while it changes. Losing it signs everybody out.',
  ),
  CLIENT_REGISTRATION: z
    .enum(['off', 'accounts', 'open'])
    .default('accounts')
    .describe('Who may register OAuth clients by API: nobody, people with an account, or anyone.'),
})

export const config = () => readConfig(AuthConfig)
