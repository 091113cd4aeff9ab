import { environmentExample } from '../generated/environment-example.ts'
import { serviceSettings } from '../service-settings.ts'
import { readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'

export const config: Command = {
  name: 'config',
  summary: 'List the settings of the services with their defaults.',
  help: `Usage: npm run quittance -- config

Prints every environment variable that a service reads, in the format of an .env file.

Example: npm run quittance -- config | grep -B1 RATE_LIMIT`,
  async run(args) {
    readArguments(args, {})
    console.log(environmentExample(serviceSettings))
  },
}
