import { createOrganizationAccessToken, createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { readArguments, required } from './arguments.ts'
import { UsageError, type Command } from './command.ts'
import { parseScopes, printAnswer, whereHelp, whereOptions } from './operator-options.ts'

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Create an organization or a personal access token. It is shown once.',
  help: `Usage: npm run quittance -- token create --owner ACCOUNT [--organization ID] [options]

  --owner ACCOUNT      id of the account in whose name it is made
  --organization ID    the token acts for this organization; without it, it is a personal token of the account
  --scopes LIST        as in orders:read,orders:write (default all)
  --comment TEXT       what it is for
  --expires-in SECONDS how long it works (default for ever)
${whereHelp}

Example: npm run quittance -- token create --owner 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11 \\
           --organization 9c1d2e3f-0a4b-4d5c-8e6f-7a8b9c0d1e2f --scopes orders:read`,
  async run(args) {
    const text = { type: 'string' } as const
    const table = { ...whereOptions, owner: text, organization: text, scopes: text, comment: text, 'expires-in': text }
    const options = readArguments(args, table)
    const userId = required('--owner', options.owner)
    const { organization } = options
    const asked = { scopes: parseScopes(options.scopes), comment: options.comment ?? '', expires_in: parseSeconds(options['expires-in']) }
    await printAnswer(options, (operator) =>
      organization
        ? operator
            .inTheNameOf({ userId, organizationIds: [organization] })
            .ask(createOrganizationAccessToken, { ...asked, organization_id: organization })
        : operator.ask(createPersonalAccessToken, { ...asked, user_id: userId }),
    )
  },
}

function parseSeconds(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError(`--expires-in is a whole number of seconds, not "${text}".`)
  return Number(text)
}
