import { defineEntity, p } from '@mikro-orm/core'
import { aggregate } from '@quittance/runtime/entity'

/** A person. Belongs to no organization, so no organization filter applies. */
export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: { ...aggregate, email: p.text(), passwordHash: p.text(), emailVerifiedAt: p.datetime().nullable() },
})
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account)
