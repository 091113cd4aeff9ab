import { createClient } from '@quittance/contracts/clients'
import { readArguments, required } from './arguments.ts'
import type { Command } from './command.ts'
import { parseScopes, printAnswer, whereHelp, whereOptions } from './operator-options.ts'

export const clientCreate: Command = {
  name: 'client create',
  summary: 'Register an OAuth 2.0 client of your own, which people are not warned of. Its secret is shown once.',
  help: `Usage: npm run quittance -- client create --name NAME --redirect-uri URI [options]

  --name NAME          what people read when they are asked for consent
  --redirect-uri URI   where the browser is sent back to; may be given several times
  --post-logout-redirect-uri URI
                       where it is sent after signing out; may be given several times
  --scopes LIST        what it may ask for, as in openid,orders:read (default all)
  --public             an application on people's own devices, which cannot keep a secret
${whereHelp}

Example: npm run quittance -- client create --name "Ledger" --redirect-uri https://ledger.example.com/callback --scopes openid,orders:read`,
  async run(args) {
    const text = { type: 'string' } as const
    const table = {
      ...whereOptions,
      name: text,
      'redirect-uri': { ...text, multiple: true },
      'post-logout-redirect-uri': { ...text, multiple: true },
      scopes: text,
      public: { type: 'boolean' },
    } as const
    const options = readArguments(args, table)
    const name = required('--name', options.name)
    const redirectUris = required('--redirect-uri', options['redirect-uri'])
    const asked = {
      name,
      redirect_uris: redirectUris,
      post_logout_redirect_uris: options['post-logout-redirect-uri'] ?? [],
      scopes: parseScopes(options.scopes),
      is_public: options.public ?? false,
    }
    await printAnswer(options, (operator) => operator.ask(createClient, asked))
  },
}
