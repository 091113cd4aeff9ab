import {
  createClient as createClientContract,
  updateClient as updateClientContract,
  deleteClient as deleteClientContract,
  getClient as getClientContract,
  listClients as listClientsContract,
} from '@quittance/contracts/clients'
import { command, type CommandContext, query } from '@quittance/runtime/handler'
import { systemCommand, systemQuery } from '@quittance/runtime/system-handler'
import { Client, newClient } from './client.ts'
import { assertAllowedRedirectUris, readClientMetadata, assertNoServerFields } from './client-metadata.ts'
import { InvalidClientMetadata, InvalidClient } from '@quittance/contracts/errors'
import { hashToken } from '@quittance/runtime/credential'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { clientView, clientListView } from './client-view.ts'
import { configureClient } from './configure-client.ts'
import { endAuthorizations } from './end-authorizations.ts'
import { createRegistrationToken, decryptRegistrationToken } from './registration-token.ts'
import { registrationUri } from './register-client.ts'
import { buildSortOrder } from '@quittance/sql/list-query'
import { requireUser } from '../identity/caller-checks.ts'
import type { Caller } from '@quittance/contracts/caller'

export const createClient = command(createClientContract, async (request, { em, wake }) => {
  assertAllowedRedirectUris([...request.redirect_uris, ...request.post_logout_redirect_uris], { isPublic: request.is_public })
  const { secret, row } = newClient(
    {
      name: request.name,
      redirectUris: request.redirect_uris,
      postLogoutRedirectUris: request.post_logout_redirect_uris,
      tokenEndpointAuthMethod: request.is_public ? 'none' : 'client_secret_post',
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: [...new Set(request.scopes)],
      clientUri: null,
      logoUri: null,
      tosUri: null,
      policyUri: null,
      idTokenSignedResponseAlg: 'RS256',
      dpopBoundAccessTokens: false,
    },
    { accountId: null, isTrusted: true },
  )
  em.create(Client, row)
  wake('clients')
  return { client_id: row.clientId, client_secret: secret }
})

/**
 * RFC 7592 §2.2. Ends the authorizations that the new configuration does not cover. `client_id` of the body always equals the path, because the path parameter overrides the body.
 */
export const updateClient = systemCommand(
  updateClientContract,
  { reason: 'ends what all users granted to the client; clients belong to no organization' },
  async (request, context) => {
    const { em, caller, read, wake } = context
    const client = await findManagedClient(request.client_id, { em, caller })
    assertNoServerFields(request)
    const sentSecret = request['client_secret']
    if (sentSecret !== undefined && !(typeof sentSecret === 'string' && client.secretHash === hashToken(sentSecret))) {
      throw new InvalidClientMetadata('client_secret: must be the current secret of the client or absent.')
    }
    const secret = await configureClient(client, readClientMetadata(request), context)
    const registrationToken = caller.kind === 'client' ? ensureRegistrationToken(client, context) : null
    const view = await read.one(clientView, managedClientFilter(request.client_id, caller))
    wake('clients')
    return {
      ...JSON.parse(view),
      ...(secret !== null && { client_secret: secret }),
      registration_client_uri: registrationUri(request.client_id),
      ...(registrationToken !== null && { registration_access_token: registrationToken }),
    }
  },
)

/** Returns the stored token, or creates one for a client that was registered before tokens were stored. */
function ensureRegistrationToken(client: Client, { publish }: Pick<CommandContext, 'publish'>): string {
  const known = decryptRegistrationToken(client.registrationTokenSealed, client.clientId)
  if (known !== null) return known
  const { token, row } = createRegistrationToken(client.clientId)
  publish(tokenRevokedEvent({ aggregateId: client.id, token_hash: client.registrationTokenHash ?? null }))
  Object.assign(client, row)
  return token
}

export const deleteClient = systemCommand(
  deleteClientContract,
  { reason: 'ends what all users granted to the client; clients belong to no organization' },
  async ({ client_id }, context) => {
    const { em, caller, now, wake } = context
    const client = await findManagedClient(client_id, { em, caller })
    client.delete(now)
    await endAuthorizations(client, context)
    wake('clients')
    return null
  },
)

const findSealed = `select registration_token_sealed as sealed from clients where client_id = :client_id`

export const getClient = systemQuery(
  getClientContract,
  { reason: 'reads the sealed token of the calling client, which belongs to no organization' },
  async ({ client_id }, { caller, read, systemSql }) => {
    const view = await read.oneOrNull(clientView, managedClientFilter(client_id, caller))
    if (view === null) throw createUnknownClientError()
    const [row] =
      caller.kind === 'client' ? await systemSql<{ sealed: string | null }>('client.find-sealed-token', findSealed, { client_id }) : []
    const token = decryptRegistrationToken(row?.sealed, client_id)
    return {
      ...JSON.parse(view),
      registration_client_uri: registrationUri(client_id),
      ...(token !== null && { registration_access_token: token }),
    }
  },
)

const columns = { created_at: 'c.created_at', client_name: 'c.name' }

export const listClients = query(listClientsContract, ({ sorting, page, limit }, { caller, read }) =>
  read.page(clientListView, {
    where: 'c.account_id = :account_id and c.deleted_at is null',
    values: { account_id: requireUser(caller).userId },
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['c.created_at', 'c.id'] }),
    page,
    limit,
  }),
)

/** Selects the clients a caller may manage: those a user registered, or the one client of a registration token. */
interface Managed {
  accountId: string | null
  clientId: string | null
}

/** Throws `NotPermitted` unless the caller is a client, or a user with a credential that no application holds. */
function managedBy(caller: Caller): Managed {
  if (caller.kind === 'client') return { accountId: null, clientId: caller.client_id }
  return { accountId: requireUser(caller).userId, clientId: null }
}

/** The condition for one client on its view. */
export function managedClientFilter(clientId: string, caller: Caller) {
  const { accountId, clientId: ownClientId } = managedBy(caller)
  return {
    where: `c.client_id = :client_id and c.deleted_at is null and (c.account_id = :account_id or c.client_id = :own_client_id)`,
    values: { client_id: clientId, account_id: accountId, own_client_id: ownClientId },
  }
}

/** Returns the client; throws `InvalidClient` if it is unknown, deleted or belongs to another account. */
export async function findManagedClient(clientId: string, { em, caller }: Pick<CommandContext, 'em' | 'caller'>): Promise<Client> {
  const { accountId, clientId: ownClientId } = managedBy(caller)
  const client = await em.findOne(Client, { clientId, deletedAt: null })
  if (!client || !(client.clientId === ownClientId || (accountId !== null && client.accountId === accountId)))
    throw createUnknownClientError()
  return client
}

export function createUnknownClientError(): InvalidClient {
  return new InvalidClient('This client does not exist or is not yours.')
}
