import { openSecret, sealSecret } from '@quittance/runtime/encryption'
import QRCode from 'qrcode'
import { findAccountDetails } from '../accounts/load-account-details.ts'
import type { AppOptions } from '../web/app-options.ts'
import { Html } from '@quittance/pages/html'
import { pageHeaders } from '../pages/layout.ts'
import { totpPage } from '../pages/totp-page.ts'
import { routes } from '../routes.ts'
import { redirectToAccount, type AccountRoutes, type AccountRequest } from '../sessions/account-requests.ts'
import { showNewRecoveryCodes } from './recovery-code-pages.ts'
import { deleteIdleRecoveryCodes, readSecondFactors } from '../second-factors/second-factors.ts'
import { generateTotpSecret, removeTotp, storeTotp, totpStep, totpUri } from '../second-factors/totp.ts'

interface TotpPageOptions extends AppOptions {
  visits: AccountRoutes
}

/** Adds the pages for setting up and removing an authenticator app. */
export function addTotpPages({ visits, ...options }: TotpPageOptions): void {
  const { systemSql } = options
  visits.show('totp', { fresh: true }, (visit) => show(options, visit, { secret: generateTotpSecret(), status: 200, error: null }))
  visits.act('totp', { fresh: true }, (visit) => turnOn(options, visit))
  visits.act('totp-off', { fresh: true }, async ({ session: { accountId }, reply }) => {
    await removeTotp(systemSql, accountId)
    await deleteIdleRecoveryCodes(systemSql, accountId)
    return redirectToAccount(reply, 'totp-off')
  })
}

/** The secret is stored only after a valid code; until then the form carries it, sealed for this session. */
const pendingContext = ({ session }: AccountRequest) => `pending totp ${session.accountId} ${session.uid}`

interface Shown {
  secret: string
  status: number
  error: string | null
}

async function show({ systemSql, secrets }: AppOptions, visit: AccountRequest, { secret, status, error }: Shown) {
  const account = await findAccountDetails(systemSql, visit.session.accountId)
  if (!account || (await readSecondFactors(systemSql, account.id)).hasTotp) return redirectToAccount(visit.reply)
  const uri = totpUri({ secret, email: account.email, issuer: 'Quittance' })
  const page = totpPage({
    action: `${routes.account}/totp`,
    back: routes.account,
    csrf: visit.csrf,
    sealedSecret: sealSecret(secret, { keys: secrets, context: pendingContext(visit) }),
    secret,
    uri,
    qrCode: new Html(await QRCode.toString(uri, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 })),
    error,
  })
  return visit.reply.code(status).headers(pageHeaders()).send(page)
}

async function turnOn(options: AppOptions, visit: AccountRequest) {
  const { systemSql, secrets } = options
  const { accountId } = visit.session
  const secret = pendingSecret(options, visit)
  if (!secret) return redirectToAccount(visit.reply)
  const code = typeof visit.form['code'] === 'string' ? visit.form['code'].replaceAll(/\s/g, '') : ''
  const step = /^\d{6}$/.test(code) ? totpStep(secret, { code, now: Date.now() }) : null
  if (step === null) {
    return show(options, visit, {
      secret,
      status: 400,
      error: 'This code is wrong. Enter the one your app shows now; check the clock of your phone.',
    })
  }
  if (!(await storeTotp({ systemSql, secrets }, { accountId, secret, step }))) return redirectToAccount(visit.reply)
  return showNewRecoveryCodes(options, visit, { title: 'Your authenticator app is set up', notice: 'totp-on' })
}

function pendingSecret({ secrets }: AppOptions, visit: AccountRequest): string | null {
  const { sealed } = visit.form
  if (typeof sealed !== 'string' || sealed.length > 1_000) return null
  try {
    return openSecret(sealed, { keys: secrets, context: pendingContext(visit) })
  } catch {
    return null
  }
}
