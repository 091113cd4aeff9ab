import { randomBytes } from 'node:crypto'
import { createAccount } from '@quittance/contracts/accounts'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const accountCreate: Command = {
  name: 'account create',
  summary: 'Create the account of a user.',
  help: `Usage: npm run quittance -- account create --email ADDRESS [options]

  --email ADDRESS      address the user signs in with
  --password TEXT      at least 8 characters; if omitted, one is generated and printed
  --email-verified     you have verified that the address belongs to the user; applications see it as verified
${targetHelp}

Example: npm run quittance -- account create --email ada@example.com --email-verified`,
  async run(args) {
    const text = { type: 'string' } as const
    const options = readArguments(args, { ...targetOptions, email: text, password: text, 'email-verified': { type: 'boolean' } })
    const email = required('--email', options.email)
    const password = options.password ?? randomBytes(12).toString('base64url')
    await printReply(options, async (operator) => {
      const account = await operator.call(createAccount, { email, password, email_verified: options['email-verified'] ?? false })
      return { ...account, ...(options.password === undefined && { password }) }
    })
  },
}
