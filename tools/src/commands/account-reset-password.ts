import { resetPassword } from '@quittance/contracts/passwords'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const accountResetPassword: Command = {
  name: 'account reset-password',
  summary: 'Create a one-time link with which a user sets a new password.',
  help: `Usage: npm run quittance -- account reset-password --email ADDRESS [options]

Verify the identity of the user first, and give the link to the user only. It works once, for 45 minutes; a new one replaces it. Using it
signs the account out everywhere. Connected applications and access tokens continue to work.

  --email ADDRESS            of the account
  --remove-second-factors    using the link also removes authenticator app, passkeys and recovery codes
${targetHelp}

Example: npm run quittance -- account reset-password --email ada@example.com`,
  async run(args) {
    const options = readArguments(args, { ...targetOptions, email: { type: 'string' }, 'remove-second-factors': { type: 'boolean' } })
    const email = required('--email', options.email)
    await printReply(options, (operator) =>
      operator.call(resetPassword, { email, remove_second_factors: options['remove-second-factors'] ?? false }),
    )
  },
}
