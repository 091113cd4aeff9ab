import type { Operation, RequestOf } from '@quittance/contracts/operation'
import type { SystemSql } from '@quittance/sql/sql-runner'
import type { CommandContext, FinishContext, Handler, HandlerReply, QueryContext } from './handler.ts'

/** Context of a query with system access. */
export interface SystemQueryContext extends QueryContext {
  systemSql: SystemSql
}

/** Context of a command with system access. */
export interface SystemCommandContext extends CommandContext {
  systemSql: SystemSql
}

/** Why an operation reaches rows that are not found by the organizations of its caller: a phrase for `docs/tenant-isolation.md`. */
export interface SystemAccessReason {
  reason: string
}

/** Defines a handler that reads with system access. Its statements contain every condition. */
export function systemQuery<O extends Operation>(
  operation: O,
  { reason }: SystemAccessReason,
  run: (request: RequestOf<O>, context: SystemQueryContext) => Promise<HandlerReply<O>> | HandlerReply<O>,
): Handler {
  return { kind: 'query', operation, systemReason: reason, run: run as never }
}

/** Defines a handler that writes with system access, in one transaction like `command`. Its statements contain every condition. */
export function systemCommand<O extends Operation>(
  operation: O,
  { reason }: SystemAccessReason,
  run: (request: RequestOf<O>, context: SystemCommandContext) => Promise<HandlerReply<O>> | HandlerReply<O>,
): Handler {
  return { kind: 'command', operation, systemReason: reason, run: run as never }
}

/** Defines a handler that calls another system, like `staged`, after its transaction has found the organization with system access. */
export function systemStaged<O extends Operation, Result extends object>(
  operation: O,
  { reason }: SystemAccessReason,
  stages: {
    commit(request: RequestOf<O>, context: SystemCommandContext): Promise<Result>
    finish(committed: Result, context: FinishContext): Promise<HandlerReply<O>>
  },
): Handler {
  return { kind: 'staged', operation, systemReason: reason, commit: stages.commit as never, finish: stages.finish as never }
}
