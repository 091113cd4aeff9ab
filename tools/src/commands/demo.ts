import { readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'Run the main use case once: a sale, its events at a real endpoint, and the permanent invoice.',
  help: `Usage: npm run quittance -- demo

Starts a separate instance on free ports and stops it at the end. The invoice is left in the current folder.

Example: npm run quittance -- demo`,
  async run(args) {
    readArguments(args, {})
    await import('../demo.ts')
  },
}
