import { withoutEmptySettings } from '@quittance/runtime/config'
import { relative } from 'node:path'
import type { DemoLinks } from '../seed/demo-links.ts'
import { sandboxPayments } from './environment.ts'
import type { Running } from './instance.ts'
import { defaultDataFolder, type Allowance } from './start-options.ts'

const meanings: Record<Allowance, string> = {
  'loopback-webhooks': 'webhook endpoints on this machine',
  'sandbox-payments': 'payments by a processor that moves no money',
}

interface Summary {
  secondsNeeded: string
  /** Null without demo data. */
  demoLinks: DemoLinks | null
}

/** Returns the summary that is printed when the system is ready. */
export function startupSummary({ facts, dataDir, allow }: Running, { secondsNeeded, demoLinks }: Summary): string {
  const { base_url: baseUrl, auth_url: authUrl, pages_url: pagesUrl, demo } = facts()
  const folder = relative(process.cwd(), dataDir)
  const where = folder.startsWith('..') ? dataDir : folder || '.'
  return [
    '',
    `Quittance is ready after ${secondsNeeded} s.`,
    '',
    `  Start    ${pagesUrl}/`,
    `  API      ${baseUrl}/v1, described at ${baseUrl}/docs`,
    ...(authUrl === baseUrl ? [] : [`  Auth     ${authUrl}`]),
    ...mailbox(baseUrl),
    ...payments({ baseUrl, allow }),
    `  Data     ${where} (logs in ${where}/logs)`,
    ...[...allow].map((each) => `  Allowed  ${meanings[each]} (requested with --allow ${each})`),
    ...(demoLinks ? links(demoLinks) : []),
    ...(demo ? withToken(baseUrl, demo.organization_access_token) : withoutToken(where)),
    '',
    'Stop with Ctrl-C.',
  ].join('\n')
}

/** Returns the address of the mailbox; null where an SMTP server is set, because mails are then sent and not shown. */
export function mailboxUrl(baseUrl: string): string | null {
  return withoutEmptySettings(process.env)['SMTP_URL'] ? null : `${baseUrl}/mailbox`
}

function mailbox(baseUrl: string): string[] {
  const url = mailboxUrl(baseUrl)
  return url ? [`  Mailbox  ${url}`] : []
}

/** Links for a browser. */
function links({ buyUrl, checkoutUrl, customerPortalUrl }: DemoLinks): string[] {
  return [
    '',
    'Open in a browser:',
    `  a link to buy, as often as you like       ${buyUrl}`,
    `  a checkout of a subscription, 30 minutes  ${checkoutUrl}`,
    `  the portal of the demo customer, an hour  ${customerPortalUrl}`,
  ]
}

function payments({ baseUrl, allow }: { baseUrl: string; allow: Running['allow'] }): string[] {
  const isRequested = allow.has('sandbox-payments')
  if (sandboxPayments(withoutEmptySettings(process.env), { baseUrl, isRequested }) !== 'on') return []
  return ['  Payments the sandbox: `ctoken_ok` pays for everything (SANDBOX_PAYMENTS=on)']
}

function withToken(baseUrl: string, token: string): string[] {
  const curl = (path: string) => `  curl -H 'Authorization: Bearer ${token}' ${baseUrl}${path}`
  return ['', `  Token    ${token}`, '', 'Try:', curl('/v1/products/'), curl('/v1/orders/'), curl('/v1/customers/')]
}

/** Commands look for the system in the default folder. */
function withoutToken(folder: string): string[] {
  return [
    '',
    '  No demo data. Create an account, an organization and a token:',
    '  npm run quittance -- account create --help',
    '  npm run quittance -- organization create --help',
    '  npm run quittance -- token create --help',
    ...(folder === defaultDataFolder ? [] : [`  Add --data ${folder} to each.`]),
  ]
}
