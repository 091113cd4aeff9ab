import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { provideDemoData } from '../src/seed/demo-data.ts'

test('a damaged file of demo data is named with the advice to delete it, and ends no start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-demo-data-'))
  const file = join(folder, 'demo.json')
  writeFileSync(file, '{ "organization_access_token": "qt_oat_')
  const reported: string[] = []
  const operator = { natsUrl: 'nats://127.0.0.1:1', busKey: 'x', busPublicKeys: 'x' }
  const report = (line: string) => void reported.push(line)
  expect(await provideDemoData({ file, operator, origin: 'http://127.0.0.1:1', report, canSell: true })).toBeNull()
  expect(reported).toEqual([`no demo data: ${file} is damaged: it is not JSON. Delete it, and the next start creates others.`])
  expect(existsSync(file)).toBe(true)
  rmSync(folder, { recursive: true })
})
