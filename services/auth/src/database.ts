import type { DatabaseDefinition } from '@quittance/runtime/database'
import { AccessTokenSchema } from './access-tokens/access-token.ts'
import { AccountSchema } from './accounts/account.ts'
import { MemberSchema } from './accounts/member.ts'
import { ClientSchema } from './clients/client.ts'
import { createAuth } from './migrations/20261120120000-create-auth.ts'
import { createAuthorizationServer } from './migrations/20261120200000-create-authorization-server.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'
import { OrganizationSchema } from './organizations/organization.ts'

export const database: DatabaseDefinition = {
  entities: [AccountSchema, MemberSchema, OrganizationSchema, AccessTokenSchema, ClientSchema],
  migrations: [createAuth, createAuthorizationServer, keepIdempotentReplies, lightenOutbox, narrowIndexes],
}
