/** Speaks to the services as the operator, over NATS: for what no credential of the API may do. */
import type { Caller } from '@quittance/contracts/caller'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import { connectNats } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'

export interface Operator {
  ask<O extends Operation>(operation: O, request: RequestInput<O>): Promise<ReplyOf<O>>
  /** Acts in the name of a person, with all of that person's rights. */
  inTheNameOf(person: { userId: string; organizationIds: readonly string[] }): Pick<Operator, 'ask'>
}

export async function withOperator<Result>(natsUrl: string, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const connection = await connectNats({ name: 'operator', url: natsUrl })
  const asking = (caller: Caller): Pick<Operator, 'ask'> => ({
    ask: (operation, request) => call(connection, { operation, request, caller }),
  })
  try {
    return await work({
      ...asking({ kind: 'operator' }),
      inTheNameOf: ({ userId, organizationIds }) =>
        asking({ kind: 'user', user_id: userId, organization_ids: [...organizationIds], token_id: 'operator', client_id: null }),
    })
  } finally {
    await connection.close()
  }
}
