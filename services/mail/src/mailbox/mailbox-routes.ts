import type { IncomingMessage, ServerResponse } from 'node:http'
import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import type { InternalRoutes } from '@quittance/runtime/health-server'
import type { ServiceResources } from '@quittance/runtime/service'
import { createSystemSql, type SystemSql } from '@quittance/sql/sql-runner'
import { config, type MailSettings } from '../config.ts'
import { messageHeaders, pageHeaders, renderList, renderMessage, sourceHeaders, type StoredMessage } from './mailbox-pages.ts'

const pageSize = 50

interface MailboxRow {
  id: string
  position: string
  stored_at: string
  kind: string
  sealed_source: string
}

const list = `
  select b.id, b.position::text as position, to_char(b.stored_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as stored_at, m.kind, b.sealed_source
  from mailbox_messages b join messages m on m.id = b.id
  where :before::bigint is null or b.position < :before::bigint
  order by b.position desc limit ${pageSize + 1}`

const find = `select b.sealed_source from mailbox_messages b where b.id = :id`

/** Encrypts a message for the mailbox: it may contain a code. */
export function sealStored(id: string, message: StoredMessage, { MAIL_KEY: keys }: Pick<MailSettings, 'MAIL_KEY'>): string {
  return sealSecret(JSON.stringify(message), { keys, context: mailboxContext(id) })
}

/** Context that a message of the mailbox is sealed with. */
export const mailboxContext = (id: string) => `quittance mail: mailbox ${id}`

function openStored(id: string, sealed: string, { MAIL_KEY: keys }: MailSettings): StoredMessage {
  return JSON.parse(openSecret(sealed, { keys, context: mailboxContext(id) })) as StoredMessage
}

/**
 * Serves the mailbox, for the gateway only; with an SMTP server there is none. Every visitor may read it, so it exists only where the
 * configuration allows that.
 */
export function mailboxRoutes({ database, log }: ServiceResources): InternalRoutes {
  if (!database) throw new Error('The mailbox requires a database')
  const systemSql = createSystemSql(database, 'shows the mails of all organizations where there is no SMTP server')
  const settings = config()
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://internal')
    if (!url || !/^\/mailbox(\/|$)/.test(url.pathname)) return false
    if (settings.transport.kind !== 'mailbox') return false
    void serve({ request, url, systemSql, settings })
      .then((answer) => send(response, answer))
      .catch((error: unknown) => {
        log.error({ err: error }, 'mailbox.failed')
        send(response, {
          status: 503,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
          body: 'The mailbox is unavailable. Try again later.\n',
        })
      })
    return true
  }
}

interface Reply {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

interface Visit {
  request: IncomingMessage
  url: URL
  systemSql: SystemSql
  settings: MailSettings
}

const notFound: Reply = { status: 404, headers: sourceHeaders, body: 'There is no such mail. Mails are kept for seven days.\n' }

async function serve({ request, url, systemSql, settings }: Visit): Promise<Reply> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, headers: { ...sourceHeaders, allow: 'GET, HEAD' }, body: 'Only GET and HEAD are supported.\n' }
  if (url.pathname === '/mailbox') return serveList({ url, systemSql, settings })
  const [, id, part] = /^\/mailbox\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/(html|source))?$/.exec(url.pathname) ?? []
  if (id === undefined) return notFound
  const [row] = await systemSql<{ sealed_source: string }>('mailbox.find', find, { id })
  if (!row) return notFound
  const stored = openStored(id, row.sealed_source, settings)
  switch (part) {
    case 'html':
      return { status: 200, headers: messageHeaders(stored.html), body: stored.html }
    case 'source':
      return { status: 200, headers: sourceHeaders, body: stored.source }
    default:
      return { status: 200, headers: pageHeaders, body: renderMessage(id, stored) }
  }
}

async function serveList({ url, systemSql, settings }: Omit<Visit, 'request'>): Promise<Reply> {
  const [, before = null] = /^(\d{1,18})$/.exec(url.searchParams.get('before') ?? '') ?? []
  const rows = await systemSql<MailboxRow>('mailbox.list', list, { before })
  const shown = rows.slice(0, pageSize)
  const messages = shown.map(({ id, stored_at, kind, sealed_source }) => {
    const { subject, recipient } = openStored(id, sealed_source, settings)
    return { id, kind, subject, recipient, storedAt: stored_at }
  })
  const olderThan = rows.length > pageSize ? (shown.at(-1)?.position ?? null) : null
  return { status: 200, headers: pageHeaders, body: renderList(messages, olderThan) }
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}
