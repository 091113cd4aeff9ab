/** The five services. The name is the first token of the subjects a service answers, its NATS user and its database. */
export const serviceNames = ['gateway', 'auth', 'orders', 'invoices', 'webhooks'] as const

/** Name of a service. */
export type ServiceName = (typeof serviceNames)[number]
