import type { Command } from './command.ts'
import { greeting } from '../supervisor/greeting.ts'
import { startInstance } from '../supervisor/instance.ts'
import { parseStartOptions } from '../supervisor/start-options.ts'
import { onStopSignals } from '../supervisor/stop-signals.ts'

export const start: Command = {
  name: 'start',
  summary: 'Run the whole system: PostgreSQL, NATS and the five services.',
  help: `Usage: npm start -- [options]

  --port N             port of the API (default 8080; 0 takes a free one)
  --data DIR           folder of everything that is kept (default .quittance)
  --ephemeral          keep nothing: a temporary folder, without waiting for the disk
  --seed demo|none     make an organization with a token, a product, a customer and two orders at the first start (default demo)
  --replicas LIST      processes per service, as in orders=2,webhooks=3 (default 1 each)
  --ready-file PATH    write addresses, process ids and credentials there as JSON once everything answers

DATABASE_URL_AUTH, DATABASE_URL_ORDERS, DATABASE_URL_INVOICES, DATABASE_URL_WEBHOOKS and NATS_URL name servers elsewhere;
what they do not name is started here. Settings of the services are passed on: npm run quittance -- config lists them.

Example: npm start -- --port 0 --ephemeral --ready-file /tmp/quittance.json`,
  run,
}

async function run(args: string[]): Promise<void> {
  const options = parseStartOptions(args)
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  const say = (line: string) => console.log(`[${seconds().padStart(5)} s] ${line}`)
  const tell = (line: string) => console.log(`${new Date().toTimeString().slice(0, 8)} ${line}`)
  let isStopping = false
  say(`preparing ${options.dataDir ?? 'a temporary folder'}`)
  const instance = startInstance({ ...options, given: process.env, say, tell })
  onStopSignals(async (reason) => {
    isStopping = true
    console.log(`Stopping (${reason}) …`)
    await instance.stop()
    console.log('Stopped.')
    return 0
  })
  try {
    console.log(greeting(await instance.ready, seconds()))
  } catch (error) {
    if (isStopping) return
    await instance.stop()
    throw error
  }
}
