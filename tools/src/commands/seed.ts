import { createDemoData } from '../seed/demo-data.ts'
import { parseAddress, readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { findNatsUrl, operatorAccess, runningInstance, targetHelp, targetOptions } from './target-options.ts'

export const seed: Command = {
  name: 'seed',
  summary: 'Create demo data in a running system: organizations, tokens, clients, a product, a customer and two orders.',
  help: `Usage: npm run quittance -- seed [options]

Prints the demo data as JSON, including credentials. May be repeated: each call creates new data.

${targetHelp}
  --origin URL         address of the gateway; required with --nats or NATS_URL

Example: npm run quittance -- seed --nats nats://operator:secret@localhost:4222 --origin http://localhost:8080`,
  async run(args) {
    const { data, nats, origin } = readArguments(args, { ...targetOptions, origin: { type: 'string' } as const })
    // Data are created over NATS first: both must be of one system.
    const isElsewhere = findNatsUrl({ data, nats }) !== undefined
    const address = isElsewhere ? required('--origin', origin) : (origin ?? runningInstance(data).base_url)
    const system = { origin: parseAddress('--origin', address), operator: operatorAccess({ data, nats }) }
    const demo = await createDemoData(system)
    console.log(JSON.stringify(demo, null, 2))
  },
}
