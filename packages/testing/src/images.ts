import type { ServiceName } from '@quittance/contracts/services'

/** Container images of the engines. Set the variables only to use a registry mirror. */
export const images = {
  postgres: process.env['POSTGRES_IMAGE'] ?? 'postgres:18-bookworm',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2-alpine',
}

/** Returns the image of a service, as named by `docker compose build`. */
export function serviceImage(service: ServiceName): string {
  return `${process.env['QUITTANCE_IMAGES'] ?? 'localhost/quittance'}/${service}:${process.env['QUITTANCE_VERSION'] ?? 'dev'}`
}
