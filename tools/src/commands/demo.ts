import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'

export const demo: Command = {
  name: 'demo',
  summary: 'Perform the main job once: a sale, its events at a real endpoint, and the invoice that never changes.',
  help: `Usage: npm run quittance -- demo

Starts an instance of its own on free ports and stops it at the end. The invoice is left in the current folder.

Example: npm run quittance -- demo`,
  async run(args) {
    readArguments(args, {})
    await import('../demo.ts')
  },
}
