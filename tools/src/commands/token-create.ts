import { createOrganizationAccessToken, createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { personalScopes, scopes } from '@quittance/contracts/scopes'
import { parseId, readArguments, required } from '../cli/arguments.ts'
import { UsageError, type Command } from '../cli/command.ts'
import { parseScopes, printReply, targetHelp, targetOptions } from './target-options.ts'

export const tokenCreate: Command = {
  name: 'token create',
  summary: 'Create an organization access token or a personal access token. It is shown once.',
  help: `Usage: npm run quittance -- token create --owner ACCOUNT [--organization ID] [options]

  --owner ACCOUNT      id of the account that creates it
  --organization ID    the token acts for this organization; without it, it is a personal token of the account
  --only LIST          restricts a personal token to these organizations, as in ID,ID (default: all of the account, now and later)
  --scopes LIST        as in orders:read,orders:write (default all; user:write is for personal tokens)
  --comment TEXT       purpose of the token
  --expires-in SECONDS lifetime (default unlimited)
${targetHelp}

Example: npm run quittance -- token create --owner 3f2b6a7e-58a9-4c0e-9a53-0c5a3f0b1d11 \\
           --organization 9c1d2e3f-0a4b-4d5c-8e6f-7a8b9c0d1e2f --scopes orders:read`,
  async run(args) {
    const text = { type: 'string' } as const
    const table = { ...targetOptions, owner: text, organization: text, only: text, scopes: text, comment: text, 'expires-in': text }
    const options = readArguments(args, table)
    const userId = parseId('--owner', required('--owner', options.owner))
    const { only } = options
    const organization = options.organization === undefined ? undefined : parseId('--organization', options.organization)
    if (organization && only) throw new UsageError('--only restricts a personal token; omit --organization.')
    const request = { comment: options.comment ?? '', expires_in: parseSeconds(options['expires-in']) }
    const organizationIds = only?.split(/[\s,]+/).filter(Boolean) ?? null
    await printReply(options, (operator) =>
      organization
        ? operator
            .actAs({ userId, organizationIds: [organization] })
            .call(createOrganizationAccessToken, { ...request, scopes: parseScopes(options.scopes, scopes), organization_id: organization })
        : operator.call(createPersonalAccessToken, {
            ...request,
            scopes: parseScopes(options.scopes, personalScopes),
            user_id: userId,
            organization_ids: organizationIds,
          }),
    )
  },
}

function parseSeconds(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError(`--expires-in must be a whole number of seconds, not "${text}".`)
  return Number(text)
}
