import { durableConsumers } from '@quittance/contracts/streams'
import { webhookEndpointDisabled } from '@quittance/contracts/webhooks'
import { consumer } from '@quittance/runtime/handler'
import { storeMessage } from './store-message.ts'

/** Mails the seller that an endpoint was disabled. The mail names the host only: the path of an endpoint may be a secret. */
export const onEndpointEvent = consumer(durableConsumers.mailEndpoints, [webhookEndpointDisabled], async (message, transaction) => {
  const { endpoint, failing_since } = message.payload
  await storeMessage(transaction, message, {
    data: { kind: 'endpoint_disabled', host: new URL(endpoint.url).host, number: endpoint.id, failingSince: failing_since },
    // An endpoint can be disabled more than once.
    sourceId: message.id,
    recipientId: endpoint.organization_id,
    customerId: null,
    recipient: null,
    locale: null,
  })
})
