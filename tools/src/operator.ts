/** Calls the services as the operator, over NATS: for operations that no credential of the API permits. */
import type { Caller } from '@quittance/contracts/caller'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import { connectAsOperator, type OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { call } from '@quittance/runtime/rpc-client'

export interface Operator {
  /** Waits ten seconds for the reply unless `timeoutMs` is given. */
  call<O extends Operation>(operation: O, request: RequestInput<O>, options?: { timeoutMs: number }): Promise<ReplyOf<O>>
  /** Acts as a user, with all rights of that user. */
  actAs(person: { userId: string; organizationIds: readonly string[] }): Pick<Operator, 'call'>
}

export async function withOperator<Result>(access: OperatorAccess, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const connection = await connectAsOperator(access)
  const callAs = (caller: Caller): Pick<Operator, 'call'> => ({
    call: (operation, request, options) => call(connection, { operation, request, caller, ...options }),
  })
  try {
    return await work({
      ...callAs({ kind: 'operator' }),
      actAs: ({ userId, organizationIds }) =>
        callAs({ kind: 'user', user_id: userId, organization_ids: [...organizationIds], token_id: 'operator', client_id: null }),
    })
  } finally {
    await connection.close()
  }
}
