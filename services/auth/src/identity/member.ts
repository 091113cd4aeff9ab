import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'

export const MemberSchema = defineEntity({
  name: 'Member',
  tableName: 'members',
  properties: { organizationId: p.uuid().primary(), accountId: p.uuid().primary(), createdAt: p.datetime() },
  filters: organizationFilter,
})
export class Member extends MemberSchema.class {}
MemberSchema.setClass(Member)
