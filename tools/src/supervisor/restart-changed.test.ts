import type { ServiceName } from '@quittance/contracts/services'
import { expect, test } from 'vitest'
import { createChangeHandler } from './restart-changed.ts'

/** Records what a change leads to; `next` resolves with the number of a restart, which `finish` ends. */
function createRecorder() {
  const done: string[] = []
  const restarts: PromiseWithResolvers<void>[] = []
  const started: PromiseWithResolvers<void>[] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const handle = createChangeHandler({
    restart: (services) => {
      done.push(`restart ${[...services].join(' ')}`)
      const restart = Promise.withResolvers<void>()
      started[restarts.push(restart) - 1]?.resolve()
      return restart.promise
    },
    migrate: async () => void done.push('migrate'),
    updatePermissions: async () => void done.push('update permissions'),
    report: () => {},
  })
  const change = (files: string[], ...services: ServiceName[]) => handle({ files, services: new Set(services) })
  return { done, change, finish: (number: number) => restarts[number]?.resolve(), nth: (number: number) => started[number]?.promise }
}

test('migrates before the restart if a migration changed, and updates permissions if the contracts did', async () => {
  const { done, change, nth } = createRecorder()
  change(['services/orders/src/migrations/1.ts', 'packages/contracts/src/orders.ts'], 'orders')
  await nth(0)
  expect(done).toEqual(['migrate', 'update permissions', 'restart orders'])
})

test('collects the changes of a running restart for the next one', async () => {
  const { done, change, finish, nth } = createRecorder()
  change(['services/orders/src/a.ts'], 'orders')
  await nth(0)
  change(['services/auth/src/a.ts'], 'auth')
  change(['services/webhooks/src/a.ts'], 'webhooks')
  finish(0)
  await nth(1)
  expect(done).toEqual(['restart orders', 'restart auth webhooks'])
})
