import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDisposableFolder } from '@quittance/testing/engines/disposable-folder'
import { eventually } from '@quittance/testing/eventually'
import type { DemoData } from '@quittance/testing/ready-file'

const root = join(import.meta.dirname, '../..')

/** The system as a person starts it: what it offers is what it prints. */
export interface PrintedSystem extends AsyncDisposable {
  /** Addresses by the words before them. */
  links: { start: string; mailbox: string; checkout: string; portal: string }
  /** Folder of all stored data, with the logs. */
  dataDir: string
  demo(): DemoData
}

/** Runs the program of `npm start` with an empty data folder and a free port, and reads the printed addresses. */
export async function startPrinted(env: Record<string, string> = {}): Promise<PrintedSystem> {
  const dataDir = join(createDisposableFolder('e2e'), 'data')
  const args = ['tools/src/quittance.ts', 'start', '--port', '0', '--data', dataDir, '--allow', 'loopback-webhooks,sandbox-payments']
  const child = spawn(process.execPath, args, {
    cwd: root,
    // Vitest sets its own BASE_URL.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'), ...process.env, BASE_URL: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  await eventually(
    () => {
      if (child.exitCode === null && !output.includes('Stop with Ctrl-C.')) throw new Error(`The system did not start:\n${output}`)
    },
    { withinMs: 120_000 },
  )
  const find = (words: string) => {
    const link = output.split('\n').find((line) => line.trim().startsWith(words))
    return /http\S+/.exec(link ?? '')?.[0] ?? ''
  }
  return {
    links: {
      start: find('Start'),
      mailbox: find('Mailbox'),
      checkout: find('a checkout of a subscription'),
      portal: find('the portal of the demo customer'),
    },
    dataDir,
    demo: () => JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
