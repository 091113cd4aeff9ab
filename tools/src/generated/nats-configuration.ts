import { natsConfig } from '@quittance/testing/engines/nats-config'

/** `infra/nats.conf`: the configuration for a server of one's own; passwords come from its environment. */
export function natsConfiguration(): string {
  const config = natsConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    storeDir: '/data/jetstream',
    passwordOf: (user) => `$NATS_PASSWORD_${user.toUpperCase()}`,
  })
  return `# Generated from the contracts by npm run generate. Give the server NATS_PASSWORD_GATEWAY, NATS_PASSWORD_AUTH, … in its environment.\n${config}`
}
