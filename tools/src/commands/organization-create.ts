import { createOrganization } from '@quittance/contracts/organizations'
import { parseId, readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { printReply, targetHelp, targetOptions } from './target-options.ts'

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Create an organization with its first member.',
  help: `Usage: npm run quittance -- organization create --name NAME --slug SLUG --owner ACCOUNT [options]

  --name NAME          display name, also on invoices
  --slug SLUG          a to z in lower case, digits and hyphens; invoice numbers begin with it
  --owner ACCOUNT      id of the account that becomes the first member
${targetHelp}

Example: npm run quittance -- organization create --name "Harbour Books" --slug harbour-books \\
           --owner 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11`,
  async run(args) {
    const text = { type: 'string' } as const
    const options = readArguments(args, { ...targetOptions, name: text, slug: text, owner: text })
    const name = required('--name', options.name)
    const slug = required('--slug', options.slug)
    const userId = parseId('--owner', required('--owner', options.owner))
    await printReply(options, (operator) => operator.actAs({ userId, organizationIds: [] }).call(createOrganization, { name, slug }))
  },
}
