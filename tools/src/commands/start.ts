import type { Command } from '../cli/command.ts'
import { mailboxUrl, startupSummary } from '../supervisor/startup-summary.ts'
import { writeStartLinks } from '../supervisor/start-links.ts'
import { createDemoLinks, type DemoLinks } from '../seed/demo-links.ts'
import { startInstance, type Running } from '../supervisor/instance.ts'
import { parseStartOptions } from '../supervisor/start-options.ts'
import { handleStopSignals } from '../supervisor/stop-signals.ts'

export const start: Command = {
  name: 'start',
  summary: 'Run the whole system: PostgreSQL, NATS and all services.',
  help: `Usage: npm start -- [options]

  --port N             port of the API (default 8080; 0 takes a free one)
  --data DIR           folder of all stored data (default .quittance)
  --ephemeral          store nothing: a temporary folder, without syncing to disk
  --seed demo|none     create an organization with a token, a product, a customer and two orders at the first start (default demo;
                       none while the sandbox is off)
  --replicas LIST      processes per service, as in orders=2,webhooks=3 (default 1 each)
  --allow LIST         what is disabled by default: loopback-webhooks (endpoints on this machine, never on ports of the system itself),
                       sandbox-payments (a processor that moves no money). The script of npm start sets both
  --ready-file PATH    write addresses, process ids and credentials there as JSON once the system is ready
  --watch              restart services when their sources or packages change; npm run dev sets it

DATABASE_URL_AUTH, DATABASE_URL_ORDERS, DATABASE_URL_INVOICES, DATABASE_URL_WEBHOOKS, DATABASE_URL_MAIL, DATABASE_URL_USAGE and NATS_URL name
external servers; servers they do not name are started here. Settings of the services are passed on: npm run quittance -- config lists them.

Example: npm start -- --port 0 --ephemeral --ready-file /tmp/quittance.json`,
  run,
}

/** Demo data may have changed since their creation: an archived product or a revoked token must not prevent a start. */
async function createLinks({ facts }: Running, report: (line: string) => void): Promise<DemoLinks | null> {
  const { demo, services } = facts()
  if (!demo) return null
  return createDemoLinks(demo, services.gateway[0]?.url ?? '').catch((error: Error) => {
    report(`no links to the demo data: ${error.message}`)
    return null
  })
}

async function run(args: string[]): Promise<void> {
  const options = parseStartOptions(args)
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const report = (line: string) => console.log(`[${seconds().padStart(5)} s] ${line}`)
  const notify = (line: string) => console.log(`${new Date().toTimeString().slice(0, 8)} ${line}`)
  let isStopping = false
  report(`preparing ${options.dataDir ?? 'a temporary folder'}`)
  const instance = startInstance({ ...options, userEnvironment: process.env, report, notify })
  handleStopSignals(async (reason) => {
    isStopping = true
    console.log(`Stopping (${reason}) …`)
    await instance.stop()
    console.log('Stopped.')
    return 0
  })
  try {
    const running = await instance.ready
    // A ready file is for programs, which create what they need.
    const demoLinks = options.readyFile ? null : await createLinks(running, report)
    writeStartLinks(running.dataDir, {
      buy: demoLinks?.buyUrl ?? null,
      portal: demoLinks?.portalUrl ?? null,
      mailbox: mailboxUrl(running.facts().base_url),
    })
    console.log(startupSummary(running, { secondsNeeded: seconds(), demoLinks }))
  } catch (error) {
    if (isStopping) return
    await instance.stop()
    throw error
  }
}
