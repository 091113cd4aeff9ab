import { randomBytes } from 'node:crypto'
import { createAccount } from '@quittance/contracts/accounts'
import { readArguments, required } from './arguments.ts'
import type { Command } from './command.ts'
import { printAnswer, whereHelp, whereOptions } from './operator-options.ts'

export const accountCreate: Command = {
  name: 'account create',
  summary: 'Create the account of a person.',
  help: `Usage: npm run quittance -- account create --email ADDRESS [options]

  --email ADDRESS      what the person signs in with
  --password TEXT      at least 8 characters; one is drawn and printed when it is left out
  --email-verified     you know that the address is the person's; applications are told so
${whereHelp}

Example: npm run quittance -- account create --email ada@example.com --email-verified`,
  async run(args) {
    const text = { type: 'string' } as const
    const options = readArguments(args, { ...whereOptions, email: text, password: text, 'email-verified': { type: 'boolean' } })
    const email = required('--email', options.email)
    const password = options.password ?? randomBytes(12).toString('base64url')
    await printAnswer(options, async (operator) => {
      const account = await operator.ask(createAccount, { email, password, email_verified: options['email-verified'] ?? false })
      return { ...account, ...(options.password === undefined && { password }) }
    })
  },
}
