import { defineEntity, p } from '@mikro-orm/core'
import { aggregateProperties } from '@quittance/runtime/schema'

/** Account of a user. Belongs to no organization, so no organization filter applies. */
export const AccountSchema = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: { ...aggregateProperties, email: p.text(), passwordHash: p.text(), emailVerifiedAt: p.datetime().nullable() },
})
export class Account extends AccountSchema.class {}
AccountSchema.setClass(Account)
