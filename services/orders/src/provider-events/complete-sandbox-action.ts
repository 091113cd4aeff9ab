import { ResourceNotFound } from '@quittance/contracts/errors'
import { completeSandboxAction as contract } from '@quittance/contracts/sandbox'
import { systemCommand } from '@quittance/runtime/system-handler'
import { settleDuePaymentsJobName, settleDueSetupsJobName } from '../job-names.ts'
import { completeSandboxAction as complete } from '../providers/provider-of.ts'

const wakePayment = `update payments set next_check_at = now(), version = version + 1 where id = :id and settled_at is null`
const wakeSetup = `update payment_setups set next_check_at = now(), version = version + 1 where id = :id and settled_at is null`

/** The sandbox's place of the page of a bank: its payment or setup is read next, as after the event of a provider. */
export const completeSandboxAction = systemCommand(
  contract,
  { reason: 'the client secret in the path authorizes the step' },
  async ({ secret }, { systemSql, wake }) => {
    const action = await complete(systemSql, secret)
    if (!action) throw new ResourceNotFound()
    const { kind, ours: id, status } = action
    if (kind === 'setup') {
      await systemSql('sandbox.wake-setup', wakeSetup, { id })
      wake(settleDueSetupsJobName)
    } else {
      await systemSql('sandbox.wake-payment', wakePayment, { id })
      wake(settleDuePaymentsJobName)
    }
    return { status }
  },
)
