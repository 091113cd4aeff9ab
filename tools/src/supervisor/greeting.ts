import { relative } from 'node:path'
import type { Running } from './instance.ts'

/** What a person reads when everything answers. */
export function greeting({ facts, dataDir }: Running, secondsNeeded: string): string {
  const { base_url: baseUrl, auth_url: authUrl, demo } = facts()
  const folder = relative(process.cwd(), dataDir)
  const where = folder.startsWith('..') ? dataDir : folder
  return [
    '',
    `Quittance is ready after ${secondsNeeded} s.`,
    '',
    `  API      ${baseUrl}/v1`,
    ...(authUrl === baseUrl ? [] : [`  Auth     ${authUrl}`]),
    `  Data     ${where} (logs in ${where}/logs)`,
    ...(demo ? withToken(baseUrl, demo.organization_access_token) : withoutToken()),
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}

function withToken(baseUrl: string, token: string): string[] {
  const curl = (path: string) => `  curl -H 'Authorization: Bearer ${token}' ${baseUrl}${path}`
  return ['', `  Token    ${token}`, '', 'Try:', curl('/v1/products/'), curl('/v1/orders/'), curl('/v1/customers/')]
}

function withoutToken(): string[] {
  return [
    '',
    '  No demo data. Make an account, an organization and a token:',
    '  npm run quittance -- account create --help',
    '  npm run quittance -- organization create --help',
    '  npm run quittance -- token create --help',
  ]
}
