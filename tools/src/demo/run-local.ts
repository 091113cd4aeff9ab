import { apiClient } from '../api-client.ts'
import { restartServices } from './restart-services.ts'
import { runScenario } from './scenario.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'
import { startInstance, type Instance } from '../supervisor/instance.ts'
import { parseStartOptions } from '../supervisor/start-options.ts'
import { handleStopSignals } from '../supervisor/stop-signals.ts'

/** Runs the demo on a separate instance and leaves nothing running. */
export async function runDemoLocally(): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const messages: string[] = []
  let isStopping = false

  const instance = startInstance({
    ...parseStartOptions(['--ephemeral', '--port', '0', '--allow', 'loopback-webhooks,sandbox-payments']),
    userEnvironment: process.env,
    report: (line) => console.log(`[${seconds().padStart(5)} s] ${line}`),
    // Restarts are part of the demo; messages about them matter only when it fails.
    notify: (line) => void messages.push(line),
  })
  handleStopSignals(async () => {
    isStopping = true
    await instance.stop()
    // Interrupted before the end.
    return 130
  })

  try {
    await runDemo(instance)
    await instance.stop()
    console.log(`\nDone after ${seconds()} s. Everything is stopped.`)
  } catch (error) {
    if (!isStopping) {
      await instance.stop()
      console.error(`\nThe demo failed: ${(error as Error).message}`)
      if (messages.length) console.error(`\nMessages of the system:\n${messages.map((line) => `  ${line}`).join('\n')}`)
      process.exit(1)
    }
  }
}

async function runDemo(instance: Instance): Promise<void> {
  const { facts } = await instance.ready
  const { base_url: origin, demo } = facts()
  if (!demo) throw new Error('The instance has no demo data.')
  const receiver = await startWebhookReceiver()
  try {
    const api = apiClient({ origin, token: demo.organization_access_token })
    await runScenario({ api, receiver, restartServices: () => restartServices(facts) })
  } finally {
    receiver.close()
  }
}
