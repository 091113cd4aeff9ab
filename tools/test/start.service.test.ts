import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { eventually } from '@quittance/testing/eventually'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder: string
beforeEach(() => void (folder = createDisposableFolder('start')))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the system as a user does, waits until it is ready or has ended, stops it, and returns what it printed. */
async function start(settings: NodeJS.ProcessEnv): Promise<string> {
  // Vitest sets its own BASE_URL.
  const { BASE_URL: _, SANDBOX_PAYMENTS: __, ...own } = process.env
  const args = ['tools/src/quittance.ts', 'start', '--port', '0', '--data', folder, '--allow', 'sandbox-payments']
  const child = spawn(process.execPath, args, { cwd: root, env: { ...own, ...settings }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit')
  try {
    const isDone = () => child.exitCode !== null || output.includes('Stop with Ctrl-C.')
    await eventually(() => expect(isDone()).toBe(true), { withinMs: 120_000 })
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  return output
}

test('starts with demo data whose token was revoked, and reports that it has no links', async () => {
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ organization_access_token: 'qt_oat_revoked', product_id: '', customer_id: '' }))
  const output = await start({})
  expect(output).toContain('Quittance is ready')
  expect(output).toMatch(/no links to the demo data: GET \S+ returned 401/)
  expect(output).not.toContain('Open in a browser')
})

test('starts without demo data while the sandbox is off', async () => {
  const output = await start({ BASE_URL: 'https://billing.example.com', MAILBOX: 'open' })
  expect(output).toContain('Quittance is ready')
  expect(output).toContain('no demo organization')
  expect(existsSync(join(folder, 'demo.json'))).toBe(false)
})
