import type { DatabaseDefinition } from '@quittance/runtime/database'
import { AccessTokenSchema } from './access-tokens/access-token.ts'
import { AccountSchema } from './identity/account.ts'
import { MemberSchema } from './identity/member.ts'
import { ClientSchema } from './clients/client.ts'
import { createAuth } from './migrations/20261120120000-create-auth.ts'
import { createAuthorizationServer } from './migrations/20261120200000-create-authorization-server.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'
import { createInvitations } from './migrations/20261123001000-create-invitations.ts'
import { noticeClientChanges } from './migrations/20261123001500-notice-client-changes.ts'
import { revokeJwtAccessTokens } from './migrations/20261123001600-revoke-jwt-access-tokens.ts'
import { knowWhoRefreshed } from './migrations/20261123001700-know-who-refreshed.ts'
import { keepRegistrationTokens } from './migrations/20261123001800-keep-registration-tokens.ts'
import { knowClientDocuments } from './migrations/20261123001900-know-client-documents.ts'
import { rememberDevices } from './migrations/20261123003000-remember-devices.ts'
import { createSecondFactors } from './migrations/20261123003500-create-second-factors.ts'
import { customerEmails } from './migrations/20261123170000-customer-emails.ts'
import { pageSettings } from './migrations/20261123200100-page-settings.ts'
import { OrganizationSchema } from './organizations/organization.ts'

export const database: DatabaseDefinition = {
  entities: [AccountSchema, MemberSchema, OrganizationSchema, AccessTokenSchema, ClientSchema],
  migrations: [
    createAuth,
    createAuthorizationServer,
    keepIdempotentReplies,
    lightenOutbox,
    narrowIndexes,
    createInvitations,
    noticeClientChanges,
    revokeJwtAccessTokens,
    knowWhoRefreshed,
    keepRegistrationTokens,
    knowClientDocuments,
    rememberDevices,
    createSecondFactors,
    customerEmails,
    pageSettings,
  ],
}
