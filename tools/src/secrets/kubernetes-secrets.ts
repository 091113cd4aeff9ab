import { natsUsers, type NatsUser } from '@quittance/contracts/nats-users'
import { serviceNames, type ServiceName } from '@quittance/contracts/services'
import { stringify } from 'yaml'
import {
  busKey,
  databaseOwners,
  databasePassword,
  migrationPassword,
  natsPassword,
  settingsFor,
  type DatabaseOwner,
  type Secrets,
} from './secret-list.ts'

interface Places {
  /** Host and port as seen by pods. */
  postgres: string
  nats: string
}

/**
 * Returns manifests of Kubernetes secrets: `quittance-‹service›` for its container, `quittance-‹service›-migration` for its init container
 * only, and `quittance-engines` with the passwords to set up PostgreSQL and NATS with.
 */
export function kubernetesSecrets(secrets: Secrets, { postgres, nats }: Places): string {
  const isOwner = (service: ServiceName): service is DatabaseOwner => (databaseOwners as readonly string[]).includes(service)
  const isOnBus = (service: ServiceName) => natsUsers.includes(service as NatsUser)
  const url = (owner: DatabaseOwner, role: string, password: string) => `postgres://${role}:${secrets[password]}@${postgres}/${owner}`
  const ofServices = serviceNames.map((service) =>
    secret(service, {
      ...(isOnBus(service) && { NATS_URL: `nats://${service}:${secrets[natsPassword(service)]}@${nats}` }),
      ...(isOwner(service) && { DATABASE_URL: url(service, `${service}_runtime`, databasePassword(service)) }),
      ...settingsFor(service, secrets),
    }),
  )
  const ofMigrations = databaseOwners.map((owner) =>
    secret(`${owner}-migration`, { MIGRATION_DATABASE_URL: url(owner, owner, migrationPassword(owner)) }),
  )
  const names = [
    'POSTGRES_PASSWORD',
    ...databaseOwners.flatMap((owner) => [migrationPassword(owner), databasePassword(owner)]),
    ...[...natsUsers, 'cluster'].map(natsPassword),
    // For the operator's commands, with BUS_PUBLIC_KEYS.
    busKey('operator'),
    'BUS_PUBLIC_KEYS',
  ]
  const engines = secret('engines', Object.fromEntries(names.map((name) => [name, secrets[name] as string])))
  return [...ofServices, ...ofMigrations, engines].map((manifest) => stringify(manifest)).join('---\n')
}

function secret(name: string, stringData: Record<string, string>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: `quittance-${name}`, namespace: 'quittance' }, type: 'Opaque', stringData }
}
