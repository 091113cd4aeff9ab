import { defineEntity, p } from '@mikro-orm/core'
import type { Scope } from '@quittance/contracts/scopes'
import { aggregate } from '@quittance/runtime/entity'

/** An OAuth 2.0 client. Belongs to no organization. */
export const ClientSchema = defineEntity({
  name: 'Client',
  tableName: 'clients',
  properties: {
    ...aggregate,
    clientId: p.text(),
    secretHash: p.text().nullable(),
    name: p.text(),
    redirectUris: p.array(),
    scopes: p.array<Scope>(),
    isPublic: p.boolean(),
  },
})
export class Client extends ClientSchema.class {}
ClientSchema.setClass(Client)
