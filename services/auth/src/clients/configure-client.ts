import type { SystemTransaction } from '@quittance/runtime/handler'
import type { Client, ClientConfiguration } from './client.ts'
import { endChangedAuthorizations, endExceedingAuthorizations } from './end-authorizations.ts'

type Context = Pick<SystemTransaction, 'em' | 'systemSql' | 'publish'>

/**
 * Configures a client and ends the authorizations that the new configuration does not cover. Users consented to the redirect URIs and the
 * authentication of the client, so changing either ends all. Returns a new secret, or null, see `Client.configure`.
 */
export async function configureClient(client: Client, configuration: ClientConfiguration, context: Context): Promise<string | null> {
  const before = client.recipient()
  const secret = client.configure(configuration)
  // Locks the row: a concurrent grant or consent is either written before and deleted, or comes later and is rejected.
  await context.em.flush()
  if (client.recipient() === before) await endExceedingAuthorizations(client, context)
  else await endChangedAuthorizations(client, context)
  return secret
}
