import { parseAddress, readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { operatorAccess } from './target-options.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'Run the main use case once: a sale, its events at a real endpoint, and the permanent invoice.',
  help: `Usage: npm run quittance -- demo [options]

Starts a separate instance on free ports and stops it at the end, or uses a system that runs elsewhere. The invoice is left in the current folder.

  --nats URL            run on the system behind this NATS server, with the operator's credentials; BUS_KEY and BUS_PUBLIC_KEYS
                        of the operator are taken from the environment
  --origin URL          its gateway (default http://127.0.0.1:8080)
  --own-address IP      address of this machine as seen by that system (default 127.0.0.1)
  --restart COMMAND     command that restarts its services and waits for them; without it they are not restarted

Example: npm run quittance -- demo

Example on docker compose with WEBHOOK_ALLOWED_CIDRS=172.16.0.0/12:
  npm run demo -- --nats nats://operator:‹password›@127.0.0.1:4222 --own-address 172.17.0.1 \\
    --restart 'docker compose restart gateway auth orders invoices webhooks && docker compose up --wait'`,
  async run(args) {
    const text = { type: 'string' } as const
    const { nats, ...elsewhere } = readArguments(args, { nats: text, origin: text, 'own-address': text, restart: text })
    const [lone] = Object.keys(elsewhere)
    if (nats === undefined && lone !== undefined) throw new UsageError(`--${lone} describes a system that runs elsewhere: add --nats.`)
    if (nats === undefined) return (await import('../demo/run-local.ts')).runDemoLocally()
    const { origin = 'http://127.0.0.1:8080', 'own-address': ownAddress = '127.0.0.1', restart = null } = elsewhere
    const system = { operator: operatorAccess({ nats }), origin: parseAddress('--origin', origin), ownAddress, restart }
    await (await import('../demo/run-remote.ts')).runDemoRemotely(system)
  },
}
