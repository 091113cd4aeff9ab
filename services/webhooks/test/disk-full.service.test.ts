/** Fault 56 of the design, on a disk that is really full: a small one in memory, which only the superuser can make. */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventStream, subscriptions } from '@quittance/contracts/streams'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { demandAllDelivered, idOf } from './oracle.ts'
import { openOutside, startEngines, startProcess } from './processes.ts'

const disk = mountDisk()

test.skipIf(disk === null)(
  'fault 56: with PostgreSQL’s disk full nothing is acknowledged or buried, nothing ends, and what was told is delivered when there is room',
  async () => {
    using room = disk as NonNullable<typeof disk>
    await using engines = await startEngines({ disk: room.folder })
    await using outside = await openOutside(engines)
    await using sink = await startEndpointSink()
    await using webhooks = await startProcess(engines, { database: 'webhooks' })
    const organizationId = randomUUID()
    const { secret } = await eventually(() => outside.endpoint(sink.url, organizationId))
    const before = await outside.tell(organizationId)
    await eventually(async () => expect(sink.received.map(idOf)).toEqual([before]))
    // A whole file of the log is there then: without that PostgreSQL itself would end, which is another fault.
    await engines.rows('webhooks', 'select pg_switch_wal()')
    await engines.rows('webhooks', 'create table written_after_switch ()')
    const empty = room.fill()
    const during = await Promise.all(Array.from({ length: 300 }, () => outside.tell(organizationId)))
    await eventually(() => expect(readFileSync(join(room.folder, 'postgres.log'), 'utf8')).toContain('No space left on device'))
    const { consumers } = await outside.connection.jetstreamManager()
    expect((await consumers.info(eventStream.name, subscriptions.webhooksPublicEvents.durable)).num_ack_pending).toBeGreaterThan(0)
    expect(webhooks.exitCode()).toBeNull()
    empty()
    const told = [before, ...during]
    await eventually(() => expect(new Set(sink.received.map(idOf)).size).toBe(told.length))
    expect(await engines.rows('webhooks', 'select from dead_letters')).toEqual([])
    expect(webhooks.exitCode()).toBeNull()
    await webhooks.untilReady()
    demandAllDelivered(sink.received, { ids: told, secret })
  },
)

/** 256 MiB that nothing else fills. Null where this process may not mount one. */
function mountDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  const ballast = join(folder, 'ballast')
  return {
    folder,
    /** The answer makes room again. */
    fill() {
      const file = openSync(ballast, 'w')
      try {
        for (const bytes = Buffer.alloc(65_536); ;) writeSync(file, bytes)
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
      return () => rmSync(ballast)
    },
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}
