import { job } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { checkDomain, recordCheck, type CheckedSender } from './check-domain.ts'

interface DueSender extends CheckedSender {
  id: string
  organization_id: string
}

const batch = 20

const findDue = `
  select id, organization_id, domain, selector, public_key from senders
  where has_dkim and has_spf and checked_at < now() - interval '1 day' order by checked_at limit ${batch}`

/** Checks verified senders every day: one whose domain lost its records is not used any more. The result is the same on every replica. */
export const checkSenders = job({
  name: 'check-senders',
  everyMs: 300_000,
  async run({ systemSql, transaction, isStopping }) {
    const due = await systemSql<DueSender>('senders.find-due', findDue)
    for (const sender of due) {
      if (isStopping()) return false
      const found = await checkDomain(sender, config())
      // Without an answer the last proof holds until it is too old.
      if (found) await transaction(sender.organization_id, ({ sql }) => recordCheck(sql, { id: sender.id, ...found }))
    }
    return false
  },
})
