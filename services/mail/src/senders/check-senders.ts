import { job } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { checkDomain, recordCheck, type CheckedSender } from './check-domain.ts'

interface DueSender extends CheckedSender {
  id: string
  organization_id: string
}

const batch = 20

// Recording the attempt first gives every domain its turn, whatever the name servers of the others do.
const claimDue = `
  update senders set check_attempted_at = now()
  where id = any (array(
    select id from senders
    where has_dkim and has_spf and checked_at < now() - interval '1 day'
      and (check_attempted_at is null or check_attempted_at < now() - interval '1 hour')
    order by check_attempted_at nulls first, checked_at limit ${batch} for update skip locked))
  returning id, organization_id, domain, selector, public_key`

/**
 * Checks verified senders every day: one whose domain lost its records is not used any more. A domain without an answer is asked again after
 * an hour.
 */
export const checkSenders = job({
  name: 'check-senders',
  everyMs: 300_000,
  async run({ systemSql, transaction }) {
    const due = await systemSql<DueSender>('senders.claim-due', claimDue)
    await Promise.all(
      due.map(async (sender) => {
        const found = await checkDomain(sender, config())
        // Without an answer the last proof holds until it is too old.
        if (found) await transaction(sender.organization_id, ({ sql }) => recordCheck(sql, { id: sender.id, ...found }))
      }),
    )
    return due.length === batch
  },
})
