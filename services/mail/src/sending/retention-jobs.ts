import { job } from '@quittance/runtime/handler'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { gauge } from '@quittance/runtime/metrics'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { countEnded } from './record-result.ts'

/** Rows of one statement. */
const batch = 500

const expire = `
  update messages set status = 'expired', ended_at = now(), next_attempt_at = null, leased_until = null, sealed_secret = null
  where id = any (array(select id from messages where status = 'waiting' and expires_at <= now()
    and (leased_until is null or leased_until < now()) order by expires_at limit ${batch} for update skip locked))
  returning kind`

/** Ends mails that come too late: codes ten minutes after they were requested. One that is being sent ends by its result. */
export const expireMessages = job({
  name: 'expire-messages',
  everyMs: 5_000,
  async run({ systemSql }) {
    const expired = await systemSql<{ kind: string }>('messages.expire', expire)
    for (const { kind } of expired) countEnded(kind, 'expired')
    return expired.length === batch
  },
})

const contentDays = 30
const rowDays = 400
const mailboxDays = 7
const maxMailboxMessages = 500

const removeContents = `
  update messages set content = null, last_error = null
  where id = any (array(select id from messages where content is not null and ended_at < now() - interval '${contentDays} days' limit ${batch} for update skip locked))
  returning 1`

const removeRows = `
  delete from messages
  where id = any (array(select id from messages where ended_at < now() - interval '${rowDays} days' limit ${batch} for update skip locked)) returning 1`

const removeFromMailbox = `
  delete from mailbox_messages
  where stored_at < now() - interval '${mailboxDays} days'
    or position <= (select position from mailbox_messages order by position desc offset ${maxMailboxMessages} limit 1)`

/** Removes contents after 30 days, rows after 400, and old messages of the mailbox. */
export const removeOldMessages = job({
  name: 'remove-old-messages',
  everyMs: 60_000,
  async run({ systemSql }) {
    const removed = [await systemSql('messages.remove-contents', removeContents), await systemSql('messages.remove-rows', removeRows)]
    await systemSql('mailbox.remove-old', removeFromMailbox)
    return removed.some((rows) => rows.length === batch)
  },
})

const oldestDue = `
  select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as seconds, count(*)::int as count
  from messages where status = 'waiting'`

/** Measures the mails that wait. */
export async function startGauges({ database }: ServiceResources): Promise<ServiceComponent> {
  if (!database) throw new Error('Mails require a database')
  const systemSql = createSystemSql(database, 'measures the mails of all organizations')
  const read = async () => (await systemSql<{ seconds: number; count: number }>('messages.measure', oldestDue))[0]
  gauge('mail_oldest_due_seconds', 'Age of the oldest mail that is not sent yet, in seconds.', {
    collect: async (each) => each.set((await read())?.seconds ?? 0),
  })
  gauge('mail_waiting_messages', 'Number of mails that are not sent yet.', {
    collect: async (each) => each.set((await read())?.count ?? 0),
  })
  return { name: 'gauges', close: () => {} }
}
