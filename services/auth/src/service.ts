import type { Service } from '@quittance/runtime/service'
import { addMember } from './accounts/add-member.ts'
import { createAccount } from './accounts/create-account.ts'
import { createOrganizationAccessToken } from './access-tokens/create-organization-access-token.ts'
import { createPersonalAccessToken } from './access-tokens/create-personal-access-token.ts'
import { revokeOrganizationAccessToken } from './access-tokens/revoke-organization-access-token.ts'
import { verifyToken } from './access-tokens/verify-token.ts'
import { createClient } from './clients/create-client.ts'
import { database } from './database.ts'
import { createOrganization } from './organizations/create-organization.ts'
import { getOrganization } from './organizations/get-organization.ts'
import { listOrganizations } from './organizations/list-organizations.ts'
import { updateOrganization } from './organizations/update-organization.ts'

/** Who people, organizations and credentials are. */
export const auth: Service = {
  name: 'auth',
  database,
  handlers: [
    verifyToken,
    createAccount,
    addMember,
    createOrganization,
    getOrganization,
    listOrganizations,
    updateOrganization,
    createOrganizationAccessToken,
    revokeOrganizationAccessToken,
    createPersonalAccessToken,
    createClient,
  ],
}
