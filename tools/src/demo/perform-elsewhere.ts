import { spawn } from 'node:child_process'
import { apiClient } from '../api-client.ts'
import { makeDemoData } from '../seed/demo-data.ts'
import { tellStory } from './story.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

/** A system that somebody else runs. */
interface Elsewhere {
  /** With the credentials of the operator. */
  natsUrl: string
  origin: string
  /** Under which it reaches this machine. */
  ownAddress: string
  /** Shell command that restarts its services and waits for them. */
  restart: string | null
}

/** Performs the main job in an organization of its own there; it stays behind. */
export async function performElsewhere({ natsUrl, origin, ownAddress, restart }: Elsewhere): Promise<void> {
  const demo = await makeDemoData({ natsUrl, origin })
  const receiver = await startWebhookReceiver(ownAddress)
  try {
    const api = apiClient({ origin, token: demo.organization_access_token })
    await tellStory({ api, receiver, restartServices: restart === null ? null : () => runInShell(restart) })
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
    child.on('close', (code) => (code === 0 ? resolve('by command') : reject(new Error(`${command} ended with ${code}:\n${output}`))))
  })
}
