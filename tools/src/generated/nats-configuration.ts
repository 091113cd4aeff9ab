import { natsConfig } from '@quittance/testing/engines/nats-config'

/**
 * Returns `infra/nats.conf`, the configuration of a server; passwords come from its environment. `transitional` returns
 * `infra/nats-transitional.conf`, for the update from 0.1.0.
 */
export function natsConfiguration({ transitional = false } = {}): string {
  const config = natsConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    storeDir: '/data/jetstream',
    passwordOf: (user) => `$NATS_PASSWORD_${user.toUpperCase()}`,
    transitional,
  })
  return `# Generated from the contracts by npm run generate. Give the server NATS_PASSWORD_GATEWAY, NATS_PASSWORD_AUTH, … in its environment.\n${config}`
}
