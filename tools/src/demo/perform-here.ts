import { apiClient } from '../api-client.ts'
import { restartServices } from './restart-services.ts'
import { tellStory } from './story.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'
import { startInstance, type Instance } from '../supervisor/instance.ts'
import { parseStartOptions } from '../supervisor/start-options.ts'
import { onStopSignals } from '../supervisor/stop-signals.ts'

/** Performs it on an instance of its own and leaves nothing running. */
export async function performHere(): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const news: string[] = []
  let isStopping = false

  const instance = startInstance({
    ...parseStartOptions(['--ephemeral', '--port', '0']),
    given: process.env,
    say: (line) => console.log(`[${seconds().padStart(5)} s] ${line}`),
    // Restarts belong to the story; what was said about them matters only when it fails.
    tell: (line) => void news.push(line),
  })
  onStopSignals(async () => {
    isStopping = true
    await instance.stop()
    // Not performed to the end.
    return 130
  })

  try {
    await perform(instance)
    await instance.stop()
    console.log(`\nDone after ${seconds()} s. Everything is stopped.`)
  } catch (error) {
    if (!isStopping) {
      await instance.stop()
      console.error(`\nThe demo failed: ${(error as Error).message}`)
      if (news.length) console.error(`\nThe system said meanwhile:\n${news.map((line) => `  ${line}`).join('\n')}`)
      process.exit(1)
    }
  }
}

async function perform(instance: Instance): Promise<void> {
  const { facts } = await instance.ready
  const { base_url: origin, demo } = facts()
  if (!demo) throw new Error('The instance has no demo data.')
  const receiver = await startWebhookReceiver()
  try {
    const api = apiClient({ origin, token: demo.organization_access_token })
    await tellStory({ api, receiver, restartServices: () => restartServices(facts) })
  } finally {
    receiver.close()
  }
}
