import type { Service } from '@quittance/runtime/service'
import { database } from './database.ts'
import { deliverDue } from './deliveries/deliver-due.ts'
import { listDeliveries } from './deliveries/list-deliveries.ts'
import { redeliverEvent } from './deliveries/redeliver-event.ts'
import { createEndpoint } from './endpoints/create-endpoint.ts'
import { deleteEndpoint } from './endpoints/delete-endpoint.ts'
import { getEndpoint } from './endpoints/get-endpoint.ts'
import { listEndpoints } from './endpoints/list-endpoints.ts'
import { updateEndpoint } from './endpoints/update-endpoint.ts'
import { onPublicEvent } from './events/on-public-event.ts'

/** Endpoints of customers, and what was sent to them. */
export const webhooks: Service = {
  name: 'webhooks',
  database,
  handlers: [createEndpoint, getEndpoint, listEndpoints, updateEndpoint, deleteEndpoint, listDeliveries, redeliverEvent],
  consumers: [onPublicEvent],
  jobs: [deliverDue],
}
