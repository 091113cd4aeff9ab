import { createClient } from '@quittance/contracts/clients'
import { scopes } from '@quittance/contracts/scopes'
import { readArguments, required } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'
import { parseScopes, printReply, targetHelp, targetOptions } from './target-options.ts'

export const clientCreate: Command = {
  name: 'client create',
  summary: 'Register an OAuth 2.0 client of the operator, for which the consent screen shows no warning. Its secret is shown once.',
  help: `Usage: npm run quittance -- client create --name NAME --redirect-uri URI [options]

  --name NAME          name shown on the consent screen
  --redirect-uri URI   where the browser is redirected after authorization; may be given several times
  --post-logout-redirect-uri URI
                       where the browser is redirected after sign-out; may be given several times
  --scopes LIST        scopes it may request, as in openid,orders:read (default all)
  --public             an application on users' devices, which cannot keep a secret
${targetHelp}

Example: npm run quittance -- client create --name "Ledger" --redirect-uri https://ledger.example.com/callback --scopes openid,orders:read`,
  async run(args) {
    const text = { type: 'string' } as const
    const table = {
      ...targetOptions,
      name: text,
      'redirect-uri': { ...text, multiple: true },
      'post-logout-redirect-uri': { ...text, multiple: true },
      scopes: text,
      public: { type: 'boolean' },
    } as const
    const options = readArguments(args, table)
    const name = required('--name', options.name)
    const redirectUris = required('--redirect-uri', options['redirect-uri'])
    const request = {
      name,
      redirect_uris: redirectUris,
      post_logout_redirect_uris: options['post-logout-redirect-uri'] ?? [],
      scopes: parseScopes(options.scopes, scopes),
      is_public: options.public ?? false,
    }
    await printReply(options, (operator) => operator.call(createClient, request))
  },
}
