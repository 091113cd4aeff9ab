import { listSigningKeys as contract } from '@quittance/contracts/auth'
import { query } from '@quittance/runtime/handler'
import { readPublicKeys } from './signing-keys.ts'

export const listSigningKeys = query(contract, async (_request, { rows }) => ({
  keys: (await readPublicKeys(rows)).map(({ key }) => key) as never,
}))
