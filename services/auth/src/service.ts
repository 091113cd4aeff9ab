import type { Service } from '@quittance/runtime/service'
import { addMember, inviteMember, listMembers, removeMember } from './accounts/member-operations.ts'
import { createAccount, getOwnAccount, verifyEmail } from './accounts/account-operations.ts'
import { resetPassword } from './accounts/reset-password.ts'
import {
  createOrganizationAccessToken,
  listOrganizationAccessTokens,
  revokeOrganizationAccessToken,
  updateOrganizationAccessToken,
} from './access-tokens/organization-access-tokens.ts'
import { createPersonalAccessToken, listPersonalAccessTokens, revokePersonalAccessToken } from './access-tokens/personal-access-tokens.ts'
import { verifyGrant, verifyToken } from './access-tokens/verify-token.ts'
import { createClient, deleteClient, getClient, listClients, updateClient } from './clients/client-operations.ts'
import { registerClient } from './clients/register-client.ts'
import { config } from './config.ts'
import { database } from './database.ts'
import { startAuthorizationServer } from './server/authorization-server.ts'
import {
  acceptInvitation,
  declineInvitation,
  listInvitations,
  listOwnInvitations,
  revokeInvitation,
} from './invitations/invitation-operations.ts'
import { listSigningKeys, rotateSigningKeys } from './keys/key-operations.ts'
import { createOrganization, getOrganization, listOrganizations, updateOrganization } from './organizations/organization-operations.ts'
import { publishSnapshots } from './organizations/publish-snapshots.ts'
import { sweepExpired } from './provider/sweep.ts'
import { resealSecrets } from './reseal-secrets.ts'

/** Identity of users, organizations and credentials. */
export const auth: Service = {
  name: 'auth',
  readConfig: config,
  database,
  handlers: [
    verifyToken,
    verifyGrant,
    createAccount,
    verifyEmail,
    resetPassword,
    getOwnAccount,
    addMember,
    listMembers,
    inviteMember,
    removeMember,
    listInvitations,
    revokeInvitation,
    listOwnInvitations,
    acceptInvitation,
    declineInvitation,
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
  jobs: [sweepExpired, publishSnapshots, resealSecrets],
  components: [startAuthorizationServer],
}
