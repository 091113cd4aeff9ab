import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { Rows } from '@quittance/runtime/handler'

/** What is known of an organization. Its copy arrives by event, milliseconds after it was made: until then the client tries again. */
export async function demandOrganization(rows: Rows, id: string): Promise<{ slug: string }> {
  const [known] = await rows<{ slug: string }>('organization.known', `select slug from organizations where id = :id`, { id })
  if (!known) throw new ServiceUnavailable('The organization is still being set up. Try again in a moment.')
  return known
}
