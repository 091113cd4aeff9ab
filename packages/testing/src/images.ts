/** Container images of the test engines. Behind a registry mirror, set the variables; otherwise nothing. */
export const images = {
  postgres: process.env['POSTGRES_IMAGE'] ?? 'postgres:18-bookworm',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2-alpine',
}
