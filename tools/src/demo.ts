/** `npm run demo`: runs the main use case once, on a separate instance that is removed afterwards, or on a system that runs elsewhere. */
import { parseArgs } from 'node:util'
import { operatorAccess } from './commands/target-options.ts'
import { runDemoRemotely } from './demo/run-remote.ts'
import { runDemoLocally } from './demo/run-local.ts'

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    nats: { type: 'string' },
    origin: { type: 'string', default: 'http://127.0.0.1:8080' },
    'own-address': { type: 'string', default: '127.0.0.1' },
    restart: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const help = `Usage: npm run demo -- [options]

  --nats URL            run on the system behind this NATS server, with the operator's credentials; BUS_KEY and BUS_PUBLIC_KEYS
                        of the operator are taken from the environment
  --origin URL          its gateway (default http://127.0.0.1:8080)
  --own-address IP      address of this machine as seen by that system (default 127.0.0.1)
  --restart COMMAND     command that restarts its services and waits for them; without it they are not restarted

Example, on docker compose with WEBHOOK_ALLOWED_CIDRS=172.16.0.0/12:
  npm run demo -- --nats nats://operator:‹password›@127.0.0.1:4222 --own-address 172.17.0.1 \\
    --restart 'docker compose restart gateway auth orders invoices webhooks && docker compose up --wait'`

if (values.help) console.log(help)
else if (values.nats) {
  const { nats, origin, restart } = values
  await runDemoRemotely({ operator: operatorAccess({ nats }), origin, ownAddress: values['own-address'], restart: restart ?? null })
} else await runDemoLocally()
