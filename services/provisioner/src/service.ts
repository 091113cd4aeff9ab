import { startProvisioner } from '@quittance/runtime/bus/provision'
import type { ServiceComponent, Service, ServiceResources } from '@quittance/runtime/service'
import { config } from './config.ts'

/** Creates the event stream and its consumers, and resets a consumer for its owner. The only service with these rights. */
export const provisioner: Service = {
  name: 'provisioner',
  readConfig: config,
  components: [openProvisioner],
}

async function openProvisioner({ connection, log }: ServiceResources): Promise<ServiceComponent> {
  const { STREAM_REPLICAS: replicas, CONSUMER_ACK_WAIT_MS: ackWaitMs, PROVISION_CHECK_MS: checkEveryMs } = config()
  return startProvisioner({ connection, log, replicas, ackWaitMs, checkEveryMs })
}
