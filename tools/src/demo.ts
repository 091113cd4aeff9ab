/** `npm run demo`: performs the main job once, on an instance of its own that is gone afterwards, or on a system that runs elsewhere. */
import { parseArgs } from 'node:util'
import { performElsewhere } from './demo/perform-elsewhere.ts'
import { performHere } from './demo/perform-here.ts'

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

  --nats URL            perform on the system behind this NATS server, with the operator's credentials
  --origin URL          its gateway (default http://127.0.0.1:8080)
  --own-address IP      under which it reaches this machine (default 127.0.0.1)
  --restart COMMAND     what restarts its services and waits for them; without it they are not restarted

Example, on docker compose with WEBHOOK_ALLOWED_CIDRS=172.16.0.0/12:
  npm run demo -- --nats nats://operator:development@127.0.0.1:4222 --own-address 172.17.0.1 \\
    --restart 'docker compose restart gateway auth orders invoices webhooks && docker compose up --wait'`

if (values.help) console.log(help)
else if (values.nats) {
  const { nats, origin, restart } = values
  await performElsewhere({ natsUrl: nats, origin, ownAddress: values['own-address'], restart: restart ?? null })
} else await performHere()
