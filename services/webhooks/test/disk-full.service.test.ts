/** Fault 56 of the design on a disk that is really full: a small RAM disk, which only the superuser can mount. */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventStream, durableConsumers } from '@quittance/contracts/streams'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectAllDelivered, readEventId } from './delivery-assertions.ts'
import { connectExternalActors, startEngines, startProcess } from './processes.ts'

const disk = mountDisk()

test.skipIf(disk === null)('acks or dead-letters nothing and keeps running on a full disk, then delivers [fault 56]', async () => {
  using testDisk = disk as NonNullable<typeof disk>
  await using engines = await startEngines({ disk: testDisk.folder })
  await using outside = await connectExternalActors(engines)
  await using sink = await startEndpointSink()
  await using webhooks = await startProcess(engines, { database: 'webhooks' })
  const organizationId = randomUUID()
  const { secret } = await eventually(() => outside.endpoint(sink.url, organizationId))
  const before = await outside.publish(organizationId)
  await eventually(async () => expect(sink.received.map(readEventId)).toEqual([before]))
  // Allocates a whole WAL file first: without it PostgreSQL itself would exit, which is another fault.
  await engines.rows('webhooks', 'select pg_switch_wal()')
  await engines.rows('webhooks', 'create table written_after_switch ()')
  const empty = testDisk.fill()
  const during = await Promise.all(Array.from({ length: 300 }, () => outside.publish(organizationId)))
  await eventually(() => expect(readFileSync(join(testDisk.folder, 'postgres.log'), 'utf8')).toContain('No space left on device'))
  const { consumers } = await outside.connection.jetstreamManager()
  expect((await consumers.info(eventStream.name, durableConsumers.webhooksPublicEvents.durable)).num_ack_pending).toBeGreaterThan(0)
  expect(webhooks.exitCode()).toBeNull()
  empty()
  const publishedIds = [before, ...during]
  await eventually(() => expect(new Set(sink.received.map(readEventId)).size).toBe(publishedIds.length))
  expect(await engines.rows('webhooks', 'select from dead_letters')).toEqual([])
  expect(webhooks.exitCode()).toBeNull()
  await webhooks.untilReady()
  expectAllDelivered(sink.received, { ids: publishedIds, secret })
})

/** A disk of 256 MiB that nothing else fills. Null if this process may not mount one. */
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
    /** Fills the disk; the returned function frees the space. */
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
