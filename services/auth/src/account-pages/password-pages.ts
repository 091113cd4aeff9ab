import type { FastifyInstance } from 'fastify'
import type { AppOptions } from '../web/app-options.ts'
import { pageHeaders } from '../pages/layout.ts'
import { changePasswordPage } from '../pages/change-password-page.ts'
import { routes } from '../routes.ts'
import { redirectToAccount, type AccountRoutes, type AccountRequest } from '../sessions/account-requests.ts'
import { endOtherSessions } from '../sessions/session-list.ts'
import { readDeviceHash } from '../sign-in/known-devices.ts'
import { formatTooManyAttempts } from '../sign-in-pages/sign-in-form.ts'
import { findAccountDetails } from '../accounts/load-account-details.ts'
import { findPasswordProblem, setPassword } from '../accounts/set-password.ts'
import { hashPassword, isPasswordUnchanged } from '../identity/password.ts'
import { addForgotPasswordPages } from './forgot-password-pages.ts'
import { addResetPages } from './reset-password-pages.ts'

interface PasswordPageOptions extends AppOptions {
  visits: AccountRoutes
}

/** Adds the pages for changing a password with the current one, and for a forgotten one. */
export function addPasswordPages(app: FastifyInstance, { visits, ...options }: PasswordPageOptions): void {
  addForgotPasswordPages(app, options)
  addResetPages(app, options)
  visits.show('password', { fresh: true }, async (visit) => {
    const account = await findAccountDetails(options.systemSql, visit.session.accountId)
    return account ? show(visit, { email: account.email, status: 200, error: null, field: null }) : redirectToAccount(visit.reply)
  })
  visits.act('password', { fresh: true }, (visit) => change(options, visit))
}

interface Shown {
  email: string
  status: number
  error: string | null
  /** The invalid field. */
  field: 'current' | 'new' | null
}

async function show({ csrf, reply }: AccountRequest, { email, status, error, field }: Shown) {
  const page = changePasswordPage({ action: `${routes.account}/password`, back: routes.account, csrf, email, error, field })
  return reply.code(status).headers(pageHeaders()).send(page)
}

/** Wrong current passwords count as failed sign-ins, so a hijacked session cannot be used for guessing. */
async function change({ systemSql, signIn, inTransaction }: AppOptions, visit: AccountRequest) {
  const { provider, session, request, reply, form } = visit
  const account = await findAccountDetails(systemSql, session.accountId)
  if (!account) return redirectToAccount(reply)
  const { email } = account
  const refusal = findPasswordProblem(form['new_password'], { email, repeated: form['repeated_password'] })
  if (refusal) return show(visit, { email, status: 400, error: refusal, field: 'new' })
  const current = typeof form['current_password'] === 'string' ? form['current_password'].slice(0, 200) : ''
  const device = readDeviceHash(provider, request, reply)
  const outcome = await signIn({ email, password: current, ip: request.ip, device })
  if (outcome.kind === 'throttled') {
    reply.header('retry-after', outcome.retryAfterSeconds)
    return show(visit, { email, status: 429, error: formatTooManyAttempts(outcome.retryAfterSeconds), field: 'current' })
  }
  if (outcome.kind === 'wrong') return show(visit, { email, status: 401, error: 'The current password is wrong.', field: 'current' })
  const hash = await hashPassword(form['new_password'] as string)
  const isChanged = await inTransaction(async (transaction) => {
    if (!(await isPasswordUnchanged(transaction.systemSql, { accountId: account.id, changedAt: outcome.changedAt }))) return false
    await setPassword(transaction.systemSql, { accountId: account.id, hash })
    if (form['end_others'] === 'yes') await endOtherSessions(transaction.systemSql, { accountId: account.id, uid: session.uid })
    return true
  })
  return redirectToAccount(reply, isChanged ? 'password-changed' : undefined)
}
