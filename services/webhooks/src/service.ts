import type { Service } from '@quittance/runtime/service'
import { config } from './config.ts'
import { database } from './database.ts'
import { startDispatcher } from './queue/dispatcher.ts'
import { maintainPartitions, repairQueues, resealSecrets } from './queue/maintenance-jobs.ts'
import { listDeliveries } from './deliveries/delivery-queries.ts'
import { processRecoveries, recoverEndpoint } from './deliveries/recover-endpoint.ts'
import { redeliverEvent } from './deliveries/redeliver-event.ts'
import { createEndpoint } from './endpoints/create-endpoint.ts'
import { holdBacklogs } from './endpoints/hold-backlogs.ts'
import { deleteEndpoint, rotateSecret, updateEndpoint } from './endpoints/update-endpoint.ts'
import { getEndpoint, getEndpointStats, listEndpoints } from './endpoints/endpoint-queries.ts'
import { testEndpoint } from './deliveries/test-endpoint.ts'
import { onPublicEvent } from './events/on-public-event.ts'

/** Endpoints of customers and the deliveries to them. */
export const webhooks: Service = {
  name: 'webhooks',
  readConfig: config,
  database,
  handlers: [
    createEndpoint,
    getEndpoint,
    listEndpoints,
    updateEndpoint,
    deleteEndpoint,
    rotateSecret,
    testEndpoint,
    getEndpointStats,
    recoverEndpoint,
    listDeliveries,
    redeliverEvent,
  ],
  consumers: [onPublicEvent],
  jobs: [holdBacklogs, processRecoveries, maintainPartitions, repairQueues, resealSecrets],
  components: [startDispatcher],
}
