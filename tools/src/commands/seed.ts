import { makeDemoData } from '../seed/demo-data.ts'
import { readArguments, required } from './arguments.ts'
import type { Command } from './command.ts'
import { runningInstance, whereHelp, whereOptions } from './operator-options.ts'

export const seed: Command = {
  name: 'seed',
  summary: 'Make demo data in a running system: organizations, tokens, clients, a product, a customer and two orders.',
  help: `Usage: npm run quittance -- seed [options]

Prints the demo data as JSON, credentials included. May be called as often as one likes: each call makes data of its own.

${whereHelp}
  --origin URL         address of the gateway; needed with --nats

Example: npm run quittance -- seed --nats nats://operator:secret@localhost:4222 --origin http://localhost:8080`,
  async run(args) {
    const { data, nats, origin } = readArguments(args, { ...whereOptions, origin: { type: 'string' } as const })
    const instance = nats ? { nats_url: nats, base_url: required('--origin', origin) } : runningInstance(data)
    const demo = await makeDemoData({ natsUrl: instance.nats_url, origin: origin ?? instance.base_url })
    console.log(JSON.stringify(demo, null, 2))
  },
}
