import type { Service } from '@quittance/runtime/service'
import { addMember } from './accounts/add-member.ts'
import { createAccount } from './accounts/create-account.ts'
import { getOwnAccount } from './accounts/get-own-account.ts'
import { inviteMember } from './accounts/invite-member.ts'
import { listMembers } from './accounts/list-members.ts'
import { removeMember } from './accounts/remove-member.ts'
import { createOrganizationAccessToken } from './access-tokens/create-organization-access-token.ts'
import { createPersonalAccessToken } from './access-tokens/create-personal-access-token.ts'
import { listOrganizationAccessTokens } from './access-tokens/list-organization-access-tokens.ts'
import { listPersonalAccessTokens } from './access-tokens/list-personal-access-tokens.ts'
import { revokeOrganizationAccessToken } from './access-tokens/revoke-organization-access-token.ts'
import { revokePersonalAccessToken } from './access-tokens/revoke-personal-access-token.ts'
import { updateOrganizationAccessToken } from './access-tokens/update-organization-access-token.ts'
import { verifyGrant } from './access-tokens/verify-grant.ts'
import { verifyToken } from './access-tokens/verify-token.ts'
import { createClient } from './clients/create-client.ts'
import { deleteClient } from './clients/delete-client.ts'
import { getClient } from './clients/get-client.ts'
import { listClients } from './clients/list-clients.ts'
import { registerClient } from './clients/register-client.ts'
import { updateClient } from './clients/update-client.ts'
import { database } from './database.ts'
import { openAuthorizationServer } from './http/authorization-server.ts'
import { listSigningKeys } from './keys/list-signing-keys.ts'
import { rotateSigningKeys } from './keys/rotate-signing-keys.ts'
import { createOrganization } from './organizations/create-organization.ts'
import { getOrganization } from './organizations/get-organization.ts'
import { listOrganizations } from './organizations/list-organizations.ts'
import { updateOrganization } from './organizations/update-organization.ts'
import { sweepExpired } from './provider/sweep.ts'

/** Who people, organizations and credentials are. */
export const auth: Service = {
  name: 'auth',
  database,
  handlers: [
    verifyToken,
    verifyGrant,
    createAccount,
    getOwnAccount,
    addMember,
    listMembers,
    inviteMember,
    removeMember,
    createOrganization,
    getOrganization,
    listOrganizations,
    updateOrganization,
    listOrganizationAccessTokens,
    createOrganizationAccessToken,
    updateOrganizationAccessToken,
    revokeOrganizationAccessToken,
    listPersonalAccessTokens,
    createPersonalAccessToken,
    revokePersonalAccessToken,
    createClient,
    registerClient,
    listClients,
    getClient,
    updateClient,
    deleteClient,
    listSigningKeys,
    rotateSigningKeys,
  ],
  jobs: [sweepExpired],
  parts: [openAuthorizationServer],
}
