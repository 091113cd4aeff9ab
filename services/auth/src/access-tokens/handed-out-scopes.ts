import { RequestValidationError } from '@quittance/contracts/errors'
import type { Scope } from '@quittance/contracts/scopes'
import type { Rows } from '@quittance/runtime/handler'
import { z } from 'zod'

interface Giver {
  /** Id of the personal access token that asks, or `operator`. */
  tokenId: string
  rows: Rows
}

/** Nobody hands out a scope that their own credential lacks; what is no personal access token has none to give. */
export async function refuseExcessScopes(given: readonly Scope[], { tokenId, rows }: Giver): Promise<void> {
  if (tokenId === 'operator') return
  const [own] = z.uuid().safeParse(tokenId).success
    ? await rows<{ scopes: string[] }>('token.scopes', `select scopes from access_tokens where id = :id and kind = 'personal'`, {
        id: tokenId,
      })
    : []
  const excess = given.filter((scope) => !own?.scopes.includes(scope))
  if (excess.length === 0) return
  throw RequestValidationError.field(['scopes'], `Your own credential does not have ${excess.join(', ')}.`)
}
