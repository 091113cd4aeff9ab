import { addMember } from '@quittance/contracts/accounts'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const memberAdd: Command = {
  name: 'member add',
  summary: 'Make an account a member of an organization. Adding twice is not an error.',
  help: `Usage: npm run quittance -- member add --organization ID --account ID [options]

  --organization ID    the organization
  --account ID         id of the account that becomes a member
${targetHelp}

Example: npm run quittance -- member add --organization 9c1d2e3f-0a4b-4d5c-8e6f-7a8b9c0d1e2f \\
           --account 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11`,
  async run(args) {
    const text = { type: 'string' } as const
    const options = readArguments(args, { ...targetOptions, organization: text, account: text })
    const organizationId = required('--organization', options.organization)
    const userId = required('--account', options.account)
    await printReply(options, (operator) => operator.call(addMember, { organization_id: organizationId, user_id: userId }))
  },
}
