import { verifyEmail } from '@quittance/contracts/accounts'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const accountVerify: Command = {
  name: 'account verify',
  summary: 'Record that the e-mail address of an account is verified.',
  help: `Usage: npm run quittance -- account verify --account ID [options]

  --account ID         id of the account; it can then respond to invitations to its address
${targetHelp}

Example: npm run quittance -- account verify --account 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11`,
  async run(args) {
    const options = readArguments(args, { ...targetOptions, account: { type: 'string' } })
    const userId = required('--account', options.account)
    await printReply(options, (operator) => operator.call(verifyEmail, { user_id: userId }))
  },
}
