/**
 * Services on the message bus: six with their own API, mail, and the provisioner, which creates the event stream and its consumers. The
 * name is the first token of the request subjects of a service, its NATS user and, if it has one, its database.
 */
export const busServiceNames = ['gateway', 'auth', 'orders', 'invoices', 'webhooks', 'mail', 'usage', 'provisioner'] as const

/** Services that serve pages as clients of the public API: without a NATS user and without a database. */
export const pageServiceNames = ['storefront'] as const

/** All services. */
export const serviceNames = [...busServiceNames, ...pageServiceNames] as const

/** Name of a service on the message bus. */
export type BusServiceName = (typeof busServiceNames)[number]

/** Name of a service that serves pages. */
export type PageServiceName = (typeof pageServiceNames)[number]

/** Name of a service. */
export type ServiceName = BusServiceName | PageServiceName
