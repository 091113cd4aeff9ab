import { completeOrganization } from '../organizations/organization-defaults.ts'
import { migration } from '@quittance/runtime/schema'

/** Copies of organizations show the origins of their frames and of return addresses. */
export const knowPageOrigins = migration('20261124200000-know-page-origins', [
  `update organizations set document = ${completeOrganization('document')}
   where not coalesce(document -> 'page_settings' ? 'return_origins', false)`,
])
