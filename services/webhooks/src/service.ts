import type { Service } from '@quittance/runtime/service'
import { database } from './database.ts'
import { openDispatcher } from './deliveries/deliver-due.ts'
import { keepPartitions, mendForgottenLanes } from './deliveries/keep-house.ts'
import { listDeliveries } from './deliveries/list-deliveries.ts'
import { recoverMissed } from './deliveries/recover-missed.ts'
import { redeliverEvent } from './deliveries/redeliver-event.ts'
import { createEndpoint } from './endpoints/create-endpoint.ts'
import { deleteEndpoint } from './endpoints/delete-endpoint.ts'
import { getEndpoint } from './endpoints/get-endpoint.ts'
import { getEndpointStats } from './endpoints/get-endpoint-stats.ts'
import { listEndpoints } from './endpoints/list-endpoints.ts'
import { recoverEndpoint } from './endpoints/recover-endpoint.ts'
import { rotateSecret } from './endpoints/rotate-secret.ts'
import { testEndpoint } from './endpoints/test-endpoint.ts'
import { updateEndpoint } from './endpoints/update-endpoint.ts'
import { onPublicEvent } from './events/on-public-event.ts'

/** Endpoints of customers, and what was sent to them. */
export const webhooks: Service = {
  name: 'webhooks',
  database,
  handlers: [
    ...[createEndpoint, getEndpoint, listEndpoints, updateEndpoint, deleteEndpoint],
    ...[rotateSecret, testEndpoint, getEndpointStats, recoverEndpoint],
    ...[listDeliveries, redeliverEvent],
  ],
  consumers: [onPublicEvent],
  jobs: [recoverMissed, keepPartitions, mendForgottenLanes],
  parts: [openDispatcher],
}
