import { getOrder, updateOrder } from '@quittance/contracts/orders'
import { expect, test } from 'vitest'
import { command, consumer, job, query, type JobContext, type Transaction } from './handler.ts'
import { on, reactionPoint } from './reactions.ts'
import { systemCommand, systemQuery, systemStaged } from './system-handler.ts'

test('only declared handlers and jobs have system access', () => {
  const reason = 'a test'
  const declared = [
    systemQuery(getOrder, { reason }, async (_, { systemSql }) => (await systemSql('t', 'select')) as never),
    systemCommand(updateOrder, { reason }, async (_, { systemSql }) => (await systemSql('t', 'select')) as never),
    systemStaged(
      updateOrder,
      { reason },
      { commit: async (_, { systemSql }) => systemSql('t', 'select'), finish: async () => ({}) as never },
    ),
  ]
  expect(declared.map((handler) => 'systemReason' in handler && handler.systemReason)).toEqual([reason, reason, reason])
  job({ name: 't', everyMs: 1, run: async ({ systemSql }) => (await systemSql('t', 'select')).length > 0 })

  // @ts-expect-error A query without a declaration has no system access.
  const reading = query(getOrder, async (_, { systemSql }) => systemSql as never)
  // @ts-expect-error Nor has a command.
  const writing = command(updateOrder, async (_, { systemSql }) => systemSql as never)
  expect([reading, writing].map((handler) => 'systemReason' in handler)).toEqual([false, false])

  // @ts-expect-error Nor has a consumer of single messages.
  consumer({ durable: 'orders-t', service: 'orders', subject: 'event.t.*' } as never, [], (_, { systemSql }) => void systemSql)
  // @ts-expect-error Nor has a step of a reaction.
  on(reactionPoint<null>('orders.system-handler-test'), [({ systemSql }: Transaction) => void systemSql])
  // @ts-expect-error Nor has the transaction of a job for one organization.
  const inTransaction = (context: JobContext) => context.transaction('', async ({ systemSql }) => systemSql)
  expect(inTransaction).toBeTypeOf('function')
})
