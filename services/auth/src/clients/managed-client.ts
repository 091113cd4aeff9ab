import type { Caller } from '@quittance/contracts/caller'
import { InvalidClient } from '@quittance/contracts/errors'
import type { CommandContext } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { Client } from './client.ts'

/** Which clients a caller may manage: those a person registered, or the one client whose registration token it is. */
interface Managed {
  accountId: string | null
  clientId: string | null
}

/** Who is neither a person with a credential of their own nor a client is `NotPermitted`. */
function managedBy(caller: Caller): Managed {
  if (caller.kind === 'client') return { accountId: null, clientId: caller.client_id }
  return { accountId: ownPerson(caller).userId, clientId: null }
}

/** The condition for one client, in the words of its view. */
export function managedClient(clientId: string, caller: Caller) {
  const { accountId, clientId: ownClientId } = managedBy(caller)
  return {
    where: `c.client_id = :client_id and c.deleted_at is null and (c.account_id = :account_id or c.client_id = :own_client_id)`,
    values: { client_id: clientId, account_id: accountId, own_client_id: ownClientId },
  }
}

/** The client, or `InvalidClient` when it is unknown, deleted or somebody else's. */
export async function findManagedClient(clientId: string, { em, caller }: Pick<CommandContext, 'em' | 'caller'>): Promise<Client> {
  const { accountId, clientId: ownClientId } = managedBy(caller)
  const client = await em.findOne(Client, { clientId, deletedAt: null })
  if (!client || !(client.clientId === ownClientId || (accountId !== null && client.accountId === accountId))) throw unknownClient()
  return client
}

export function unknownClient(): InvalidClient {
  return new InvalidClient('There is no such client, or it is not yours.')
}
