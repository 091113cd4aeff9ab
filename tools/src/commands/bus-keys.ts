import { randomBytes } from 'node:crypto'
import { busUsers, type BusUser } from '@quittance/contracts/nats-users'
import { formatPublicBusKeys, publicBusKey } from '@quittance/runtime/bus/identity'
import { readArguments } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'

export const busKeys: Command = {
  name: 'bus-keys',
  summary: 'Create the keys with which services and the operator sign messages to each other.',
  help: `Usage: npm run quittance -- bus-keys [options]

Prints settings, one per line: BUS_KEY_‹USER› is the BUS_KEY of that service or of the operator, and secret; BUS_PUBLIC_KEYS is the same for all. Nothing is stored.

  --user NAME          a new key for this user only: its secret, and the entry to add to BUS_PUBLIC_KEYS

Example: npm run --silent quittance -- bus-keys >> .env`,
  async run(args) {
    const { user } = readArguments(args, { user: { type: 'string' } as const })
    for (const line of user === undefined ? createAllKeyLines() : createKeyLines(user)) console.log(line)
  },
}

function createAllKeyLines(): string[] {
  const seeds = Object.fromEntries(busUsers.map((user) => [user, randomBytes(32)])) as Record<BusUser, Buffer>
  return [...busUsers.map((user) => secretLine(user, seeds[user])), `BUS_PUBLIC_KEYS=${formatPublicBusKeys(seeds)}`]
}

function createKeyLines(name: string): string[] {
  const user = busUsers.find((candidate) => candidate === name)
  if (!user) throw new UsageError(`--user must be one of ${busUsers.join(', ')}.`)
  const seed = randomBytes(32)
  return [secretLine(user, seed), `# to add to BUS_PUBLIC_KEYS: ${user}=${publicBusKey(seed)}`]
}

const secretLine = (user: BusUser, seed: Buffer) => `BUS_KEY_${user.toUpperCase()}=${seed.toString('base64')}`
