import { rotateSigningKeys } from '@quittance/contracts/auth'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { printAnswer, whereHelp, whereOptions } from './operator-options.ts'

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Sign with the next keys from now on. What was signed before stays valid.',
  help: `Usage: npm run quittance -- keys rotate [options]

The keys that were published as next begin to sign, new next ones are drawn and published, and the ones before stay published.

  --force              also when the next keys are so young that not everybody may have seen them
${whereHelp}

Example: npm run quittance -- keys rotate`,
  async run(args) {
    const options = readArguments(args, { ...whereOptions, force: { type: 'boolean' } })
    await printAnswer(options, (operator) => operator.ask(rotateSigningKeys, { force: options.force ?? false }))
  },
}
