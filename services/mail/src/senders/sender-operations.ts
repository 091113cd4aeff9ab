import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { RequestValidationError, ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import {
  createMailSender as createContract,
  deleteMailSender as deleteContract,
  listMailSenders as listContract,
  verifyMailSender as verifyContract,
} from '@quittance/contracts/mail-senders'
import { sealSecret } from '@quittance/runtime/encryption'
import { command, query, staged } from '@quittance/runtime/handler'
import { buildWhere, newestFirst, toArray } from '@quittance/sql/list-query'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { config } from '../config.ts'
import { checkDomain, recordCheck, type CheckedSender } from './check-domain.ts'
import { senderView } from './sender-view.ts'

const createKeys = promisify(generateKeyPair)

/** Context that the private key of a sender is sealed with. */
export const senderKeyContext = (id: string) => `quittance mail: sender ${id}`

const insert = `
  insert into senders (id, organization_id, address, selector, public_key, sealed_private_key)
  select :id::uuid, :organization_id::uuid, :address::text, :selector::text, :public_key::text, :sealed_private_key::text
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (organization_id) do nothing
  returning id`

const findAny = `
  select id from senders where organization_id = :organization_id::uuid and organization_id = any (:scope_organizations)`

const rejectSecond = () => RequestValidationError.field(['address'], 'The organization has a sender. Delete it first.')

/** Creates a sender with a separate key, so that a record in the DNS is for this seller alone. */
export const createMailSender = staged(createContract, {
  async prepare({ organization_id }, { sql, caller }) {
    const existing = await sql('sender.find-any', findAny, { organization_id: resolveOrganization(caller, organization_id) })
    // A key costs a tenth of a second of CPU. The request may be a replay, so the error is up to `commit`.
    return existing.length > 0 ? null : createKeys('rsa', { modulusLength: 2_048 })
  },
  async commit({ address, organization_id }, { sql, caller, prepared }) {
    if (!prepared) throw rejectSecond()
    const id = randomUUID()
    const pem = prepared.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const stored = await sql('sender.insert', insert, {
      id,
      organization_id: resolveOrganization(caller, organization_id),
      address,
      selector: `q${randomBytes(8).toString('hex')}`,
      public_key: prepared.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      sealed_private_key: sealSecret(pem, { keys: config().MAIL_KEY, context: senderKeyContext(id) }),
    })
    if (stored.length === 0) throw rejectSecond()
    return { id }
  },
  finish: ({ id }, { read }) => read.one(senderView, { where: 's.id = :id', values: { id } }),
})

export const listMailSenders = query(listContract, ({ page, limit, organization_id }, { read }) =>
  read.page(senderView, {
    ...buildWhere({ organization_id: { sql: 's.organization_id = any(:organization_id)', value: toArray(organization_id) } }),
    orderBy: newestFirst('s'),
    page,
    limit,
  }),
)

const find = `select domain, selector, public_key from senders where id = :id and organization_id = any (:scope_organizations)`

/** Asks the DNS outside of any transaction. */
export const verifyMailSender = staged(verifyContract, {
  async prepare({ id }, { sql }) {
    const [sender] = await sql<CheckedSender>('sender.find', find, { id })
    if (!sender) throw new ResourceNotFound()
    const found = await checkDomain(sender, config())
    if (!found) throw new ServiceUnavailable('The name servers of the domain did not answer. Try again later.')
    return found
  },
  async commit({ id }, { sql, prepared }) {
    if (!prepared) throw new Error('The domain was not checked')
    await recordCheck(sql, { id, ...prepared })
    return { id }
  },
  finish: ({ id }, { read }) => read.one(senderView, { where: 's.id = :id', values: { id } }),
})

const remove = `delete from senders where id = :id and organization_id = any (:scope_organizations) returning id`

export const deleteMailSender = command(deleteContract, async ({ id }, { sql }) => {
  const removed = await sql('sender.delete', remove, { id })
  if (removed.length === 0) throw new ResourceNotFound()
  return null
})
