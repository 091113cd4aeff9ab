import { createOrganization } from '@quittance/contracts/organizations'
import { readArguments, required } from './arguments.ts'
import type { Command } from './command.ts'
import { printAnswer, whereHelp, whereOptions } from './operator-options.ts'

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Create an organization with its first member.',
  help: `Usage: npm run quittance -- organization create --name NAME --slug SLUG --owner ACCOUNT [options]

  --name NAME          what people read, also on invoices
  --slug SLUG          lower-case letters, digits and hyphens; invoice numbers begin with it
  --owner ACCOUNT      id of the account that becomes the first member
${whereHelp}

Example: npm run quittance -- organization create --name "Harbour Books" --slug harbour-books \\
           --owner 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11`,
  async run(args) {
    const text = { type: 'string' } as const
    const options = readArguments(args, { ...whereOptions, name: text, slug: text, owner: text })
    const name = required('--name', options.name)
    const slug = required('--slug', options.slug)
    const userId = required('--owner', options.owner)
    await printAnswer(options, (operator) => operator.inTheNameOf({ userId, organizationIds: [] }).ask(createOrganization, { name, slug }))
  },
}
