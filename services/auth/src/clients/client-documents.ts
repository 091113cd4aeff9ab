import { clientNetwork } from '@quittance/runtime/client-network'
import { createFairSlots } from '@quittance/runtime/fair-slots'
import type { SystemTransaction } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { LRUCache } from 'lru-cache'
import { errors } from 'oidc-provider'
import type { TransactionRunner } from '../transaction-runner.ts'
import { Client, newClient } from './client.ts'
import { fetchClientDocument, type ClientDocument } from './client-document.ts'
import { configureClient } from './configure-client.ts'
import { createNetworkLimit } from './network-limit.ts'

const find = `select document_expires_at > now() as is_fresh from clients where client_id = :client_id and deleted_at is null`

// Such clients have no owner, and no operator trusts them: the index of clients without both finds them.
const recent = `
  select count(*)::int as count from clients
  where document_expires_at is not null and account_id is null and not is_trusted and created_at > now() - interval '1 hour'`

/** Limits of what anonymous requests can cause: concurrent fetches, and clients created per hour, of which one network is a small part. */
const maxConcurrentFetches = 32
const maxNewClientsPerHour = 1_000
const maxUnknownPerNetwork = 100

/** How long the failure of a document is cached before it is fetched again. */
const rejectionTtlMs = 5_000

/** Keeps clients that are described by a document at their id up to date. */
export interface ClientDocuments {
  /**
   * Fetches the document unless the stored one is fresh, and returns whether it did. Throws `errors.InvalidClient` for an invalid document.
   * `address` is that of the browser: documents that do not arrive must not use up the fetches of other networks.
   */
  refresh(clientId: string, address: string): Promise<boolean>
}

export function createClientDocuments(systemSql: SystemSql, inTransaction: TransactionRunner): ClientDocuments {
  const inProgress = new Map<string, Promise<boolean>>()
  const fetches = createFairSlots(maxConcurrentFetches)
  const unknown = createNetworkLimit(maxUnknownPerNetwork)
  const rejections = new LRUCache<string, Error>({ max: 1_000, ttl: rejectionTtlMs })
  return {
    async refresh(clientId, address) {
      const [stored] = await systemSql<{ is_fresh: boolean | null }>('client.is-document-fresh', find, { client_id: clientId })
      if (stored?.is_fresh) return false
      const before = rejections.get(clientId)
      if (before) throw before
      const known = inProgress.get(clientId)
      if (known) return known
      const network = clientNetwork(address)
      if (!stored && unknown.count(network) !== null)
        throw new errors.InvalidClient('too many unknown clients were named from one network in the last hour')
      if (!fetches.tryAcquire(network)) throw new errors.InvalidClient('too many metadata documents are being read')
      const reading = read(clientId).finally(() => {
        inProgress.delete(clientId)
        fetches.release(network)
      })
      inProgress.set(clientId, reading)
      return reading
    },
  }

  async function read(clientId: string): Promise<boolean> {
    try {
      const document = await fetchClientDocument(clientId)
      await inTransaction((transaction) => saveDocument(transaction, clientId, document))
    } catch (error) {
      if (error instanceof errors.InvalidClient) rejections.set(clientId, error)
      // Another replica has stored the same document first.
      if ((error as { code?: string }).code !== '23505') throw error
    }
    return true
  }
}

/** Stores the document. Users consented to the previous one: a change ends their authorizations as for a registered client. */
async function saveDocument(transaction: SystemTransaction, clientId: string, { configuration, expiresAt }: ClientDocument): Promise<void> {
  const { em, systemSql, wake } = transaction
  const client = await em.findOne(Client, { clientId, deletedAt: null })
  if (client) {
    client.documentExpiresAt = expiresAt
    await configureClient(client, configuration, transaction)
  } else {
    const [seen] = await systemSql<{ count: number }>('client.count-documents', recent)
    if ((seen?.count ?? 0) >= maxNewClientsPerHour) throw new errors.InvalidClient('too many new clients were created in the last hour')
    const { row } = newClient(configuration, { accountId: null, isTrusted: false })
    em.create(Client, { ...row, clientId, documentExpiresAt: expiresAt })
    await em.flush()
  }
  wake('clients')
}
