/** Every secret of an installation. `npm start`, compose and Kubernetes all derive from this list: a new secret is one entry here. */
import { randomBytes } from 'node:crypto'
import { busUsers, natsUsers, type BusUser } from '@quittance/contracts/nats-users'
import { busServiceNames, type ServiceName } from '@quittance/contracts/services'
import { formatPublicBusKeys, parseBusSeeds } from '@quittance/runtime/bus/identity'

/** Services with a database. */
export const databaseOwners = ['auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage'] as const
export type DatabaseOwner = (typeof databaseOwners)[number]

/** Secrets by name. */
export type Secrets = Readonly<Record<string, string>>

export interface Secret {
  /** Name in `.env`, in `secrets.json` of a data folder, and in the Kubernetes secret `quittance-engines` if no service reads it. */
  name: string
  /** What it protects, in one sentence. */
  what: string
  /** Generates the value, from the secrets before it or at random. */
  generate: (generated: Secrets) => string
  /** The setting by which a service reads it; without one, it is a password of an engine or part of a URL. */
  setting?: { name: string; services: readonly ServiceName[] }
  /** `npm start` stores these with its engines. */
  isOfEngine?: true
}

/**
 * Generates a password of A–Z, a–z and 0–9, so that it needs no quoting in a URL, a shell or YAML. It never starts with a digit:
 * nats-server parses what its configuration takes from the environment, and would read digits as a number.
 */
const password = () => `p${randomBytes(24).toString('hex')}`
/** 32 bytes in base64. */
const key = () => randomBytes(32).toString('base64')

export const migrationPassword = (owner: DatabaseOwner) => `MIGRATION_DATABASE_PASSWORD_${owner.toUpperCase()}`
export const databasePassword = (owner: DatabaseOwner) => `DATABASE_PASSWORD_${owner.toUpperCase()}`
export const natsPassword = (user: string) => `NATS_PASSWORD_${user.toUpperCase()}`
export const busKey = (user: BusUser) => `BUS_KEY_${user.toUpperCase()}`

export const secretList: readonly Secret[] = [
  { name: 'POSTGRES_PASSWORD', what: 'Superuser of PostgreSQL.', generate: password, isOfEngine: true },
  ...databaseOwners.flatMap((owner): Secret[] => [
    { name: migrationPassword(owner), what: `Database role ${owner}, which owns the schema and migrates.`, generate: password },
    { name: databasePassword(owner), what: `Database role ${owner}_runtime, which the service runs with.`, generate: password },
  ]),
  ...natsUsers.map((user): Secret => ({ name: natsPassword(user), what: `NATS user ${user}.`, generate: password, isOfEngine: true })),
  ...busUsers.map((user): Secret => ({
    name: busKey(user),
    what: `Signs messages of ${user} on the message bus.`,
    generate: key,
    setting: { name: 'BUS_KEY', services: user === 'operator' ? [] : [user] },
  })),
  {
    name: 'BUS_PUBLIC_KEYS',
    what: 'Public keys of the message bus; not secret, and the same for all.',
    generate: (generated) => formatPublicBusKeys(readSeeds(generated)),
    setting: { name: 'BUS_PUBLIC_KEYS', services: busServiceNames },
  },
  { name: natsPassword('cluster'), what: 'Connections between NATS servers.', generate: password, isOfEngine: true },
  {
    name: 'SECRETS_KEY_AUTH',
    what: 'Signing keys at rest, cookies and form tokens.',
    generate: key,
    setting: { name: 'SECRETS_KEY', services: ['auth'] },
  },
  {
    name: 'SECRETS_KEY_ORDERS',
    what: 'Credentials of payment accounts at rest.',
    generate: key,
    setting: { name: 'SECRETS_KEY', services: ['orders'] },
  },
  {
    name: 'SECRETS_KEY_WEBHOOKS',
    what: 'Secrets of webhook endpoints at rest.',
    generate: key,
    setting: { name: 'SECRETS_KEY', services: ['webhooks'] },
  },
  {
    name: 'SECRETS_KEY_STOREFRONT',
    what: 'Cookies of the pages for buyers.',
    generate: key,
    setting: { name: 'SECRETS_KEY', services: ['storefront'] },
  },
  {
    name: 'PAGES_KEY',
    what: 'Proves to the gateway that a request comes from a page server, so that it counts on the visitor.',
    generate: key,
    setting: { name: 'PAGES_KEY', services: ['gateway', 'storefront'] },
  },
  {
    name: 'MAIL_KEY',
    what: 'Secrets of mails until they are sent.',
    generate: key,
    setting: { name: 'MAIL_KEY', services: ['auth', 'orders', 'mail'] },
  },
  { name: 'LINK_SECRET', what: 'Download links of documents.', generate: key, setting: { name: 'LINK_SECRET', services: ['invoices'] } },
]

function readSeeds(generated: Secrets): Record<BusUser, Uint8Array> {
  const seeds = busUsers.map((user) => [user, parseBusSeeds(generated[busKey(user)] as string)[0]])
  return Object.fromEntries(seeds) as Record<BusUser, Uint8Array>
}

/** Generates the missing secrets and keeps the others. */
export function generateMissing(known: Secrets, list: readonly Secret[]): Secrets {
  const generated: Record<string, string> = { ...known }
  for (const { name, generate } of list) generated[name] ??= generate(generated)
  return generated
}

/** Returns the secrets of one service by the name of the setting. */
export function settingsFor(service: ServiceName, secrets: Secrets): Record<string, string> {
  const own = secretList.filter(({ setting }) => setting?.services.includes(service))
  return Object.fromEntries(own.flatMap(({ name, setting }) => (setting && secrets[name] ? [[setting.name, secrets[name]]] : [])))
}

/** Names of environment variables that contain secrets of a service or engine: a service receives only its own. */
export const secretNames: ReadonlySet<string> = new Set(
  secretList.flatMap(({ name, setting }) => (setting ? [name, setting.name] : [name])),
)
