import type { ServiceName } from '@quittance/contracts/services'

/** Container images of the engines. Behind a registry mirror, set the variables; otherwise nothing. */
export const images = {
  postgres: process.env['POSTGRES_IMAGE'] ?? 'postgres:18-bookworm',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2-alpine',
}

/** Image of a service, as `docker compose build` names it. */
export function serviceImage(service: ServiceName): string {
  return `${process.env['QUITTANCE_IMAGES'] ?? 'localhost/quittance'}/${service}:${process.env['QUITTANCE_VERSION'] ?? 'dev'}`
}
