import { spawn } from 'node:child_process'
import type { OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { apiClient } from '../api-client.ts'
import { createDemoData } from '../seed/demo-data.ts'
import { runScenario } from './scenario.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

/** A system that runs elsewhere. */
interface RemoteSystem {
  operator: OperatorAccess
  origin: string
  /** Address under which the system reaches this machine. */
  ownAddress: string
  /** Shell command that restarts its services and waits for them. */
  restart: string | null
}

/** Runs the demo in a new organization of that system; the organization remains. */
export async function runDemoRemotely({ operator, origin, ownAddress, restart }: RemoteSystem): Promise<void> {
  const demo = await createDemoData({ operator, origin })
  const receiver = await startWebhookReceiver(ownAddress)
  try {
    const api = apiClient({ origin, token: demo.organization_access_token })
    await runScenario({ api, receiver, restartServices: restart === null ? null : () => runInShell(restart) })
    console.log(`\nDone on ${origin}.`)
  } finally {
    receiver.close()
  }
}

function runInShell(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve('by command') : reject(new Error(`${command} exited with ${code}:\n${output}`))))
  })
}
