import type { Caller, CallerKind } from '@quittance/contracts/caller'
import type { Operation, ReplyOf, RequestInput } from '@quittance/contracts/operation'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'

/** Calls an operation as a caller, and returns its parsed reply. An error is thrown as its declared class. */
export type CallOperation = <O extends Operation>(operation: O, request: RequestInput<O>, caller: Caller) => Promise<ReplyOf<O>>

interface Calling {
  connection: NatsConnection
  asOperator(): Promise<NatsConnection>
  /** Subjects of operations in progress that do not take the kind of their caller. */
  calledByOthers: Set<string>
}

/** Returns the function with which a test calls the operations of a service, those for operators as the operator. */
export function createCall({ connection, asOperator, calledByOthers }: Calling): CallOperation {
  return async (operation, request, caller) => {
    const isOperator = caller.kind === 'operator' || operation.audience === 'operator'
    const isOther = operation.http && !operation.http.callers.includes(caller.kind as CallerKind)
    if (isOther) calledByOthers.add(operation.subject)
    try {
      const reply = await call(isOperator ? await asOperator() : connection, { operation, request, caller })
      return operation.reply.parse(reply) as ReplyOf<typeof operation>
    } finally {
      calledByOthers.delete(operation.subject)
    }
  }
}
