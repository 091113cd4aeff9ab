import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDisposableFolder } from './disposable-folder.ts'
import { writeNatsConfig } from './nats-config-file.ts'

test('a reload leaves the limit of the store as it was at the start, because the server takes no other', () => {
  const dataDir = join(createDisposableFolder('nats-config'), 'nats')
  const file = `${dataDir}.conf`
  const options = { dataDir, port: 4222, monitorPort: 8222 }
  writeNatsConfig(options)
  const started = readFileSync(file, 'utf8')
  expect(started).toContain('max_file_store: 1TB\n')
  writeNatsConfig({ ...options, isReload: true })
  expect(readFileSync(file, 'utf8')).toBe(started)
  // As an earlier release has written it.
  const unlimited = started.replace(/ *max_file_store.*\n/, '')
  writeFileSync(file, unlimited)
  writeNatsConfig({ ...options, isReload: true })
  expect(readFileSync(file, 'utf8')).toBe(unlimited)
})
