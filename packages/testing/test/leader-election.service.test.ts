import { runAsLeader, type Leadership } from '@quittance/runtime/internal/jobs/leader-election'
import { createLeaderSession, type LeaderSession } from '@quittance/runtime/internal/jobs/leader-session'
import { createLogger } from '@quittance/runtime/logger'
import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { startTestService } from '../src/harness.ts'
import { ledger } from './ledger.ts'

const log = createLogger('test', 'silent')

test('work that failed leads no longer when it is started again on the same connection', async () => {
  await using service = await startTestService(ledger())
  const session = createLeaderSession(service.databaseUrl ?? '', 'test')
  const leaderships: Leadership[] = []
  const election = runAsLeader({
    session,
    name: 'test',
    log,
    async work(leadership, stopped) {
      leaderships.push(leadership)
      if (leaderships.length === 1) throw new Error('on purpose')
      await eventually(() => expect(stopped()).toBe(true))
    },
  })
  await eventually(() => expect(leaderships.map((each) => each.isLeader())).toEqual([false, true]))
  await election.close()
  expect(leaderships.map((each) => each.isLeader())).toEqual([false, false])
  expect(leaderships.map(({ ended }) => ended.aborted)).toEqual([true, true])
  await session.close()
})

test('many tasks that start at once on one connection cause no warning', async () => {
  await using service = await startTestService(ledger())
  const session = createLeaderSession(service.databaseUrl ?? '', 'test')
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void warnings.push(message)
  process.on('warning', onWarning)
  const leaderships: Leadership[] = []
  const work = async (leadership: Leadership, stopped: () => boolean) => {
    leaderships.push(leadership)
    await eventually(() => expect(stopped()).toBe(true))
  }
  const elections = Array.from({ length: 8 }, (_, index) => runAsLeader({ session, name: `task ${index}`, log, work }))
  await eventually(() => expect(leaderships.filter((each) => each.isLeader())).toHaveLength(8))
  for (const election of elections) await election.close()
  await session.close()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('one of several tasks on a connection ends without the others, and all end with the connection', async () => {
  await using service = await startTestService(ledger())
  const sessions = ['first', 'second'].map((name) => createLeaderSession(service.databaseUrl ?? '', name))
  const leads = new Map<string, Leadership>()
  const start = (replica: number, name: string) =>
    runAsLeader({
      session: sessions[replica] as LeaderSession,
      name,
      log,
      async work(leadership) {
        leads.set(`${name} ${replica}`, leadership)
        await eventually(() => expect(leadership.isLeader()).toBe(false))
      },
    })
  const leaders = () => [...leads].filter(([, leadership]) => leadership.isLeader()).map(([name]) => name)
  const [a, b] = [start(0, 'a'), start(0, 'b')]
  await eventually(() => expect(leaders()).toEqual(['a 0', 'b 0']))
  const [otherA, otherB] = [start(1, 'a'), start(1, 'b')]
  await a.close()
  await eventually(() => expect(leaders()).toEqual(['b 0', 'a 1']))
  await service.rows(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance first'`)
  await b.close()
  await eventually(() => expect(leaders()).toEqual(['a 1', 'b 1']))
  expect([...leads].filter(([, { ended }]) => !ended.aborted).map(([name]) => name)).toEqual(['a 1', 'b 1'])
  for (const election of [otherA, otherB]) await election.close()
  for (const session of sessions) await session.close()
})
