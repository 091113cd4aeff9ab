import { rotateSigningKeys } from '@quittance/contracts/auth'
import { readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Sign with the next keys from now on. Existing signatures stay valid.',
  help: `Usage: npm run quittance -- keys rotate [options]

The published next keys become the signing keys, new next keys are generated and published, and the previous ones stay published.

  --force              also when the next keys are so new that clients may not have fetched them yet
${targetHelp}

Example: npm run quittance -- keys rotate`,
  async run(args) {
    const options = readArguments(args, { ...targetOptions, force: { type: 'boolean' } })
    await printReply(options, (operator) => operator.call(rotateSigningKeys, { force: options.force ?? false }))
  },
}
