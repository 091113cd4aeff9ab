/**
 * The services: five with their own API, mail, and the provisioner, which creates the event stream and its consumers. The name is the first token
 * of the request subjects of a service, its NATS user and, if it has one, its database.
 */
export const serviceNames = ['gateway', 'auth', 'orders', 'invoices', 'webhooks', 'mail', 'provisioner'] as const

/** Name of a service. */
export type ServiceName = (typeof serviceNames)[number]
