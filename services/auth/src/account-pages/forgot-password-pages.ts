import type { FastifyInstance } from 'fastify'
import { mailResetLink } from '../accounts/mail-reset-link.ts'
import { config } from '../config.ts'
import { pageHeaders } from '../pages/layout.ts'
import { forgotPasswordForm, forgotPasswordPage, resetMailedPage } from '../pages/forgot-password-page.ts'
import { routes } from '../routes.ts'
import { formatTooManyAttempts } from '../sign-in-pages/sign-in-form.ts'
import type { AppOptions } from '../web/app-options.ts'

/** The address as the database compares it, so that two spellings of one account are counted together. */
const toComparedAddress = `select lower(:email::text) as address`

/** Adds the pages of a forgotten password. Without MAIL_KEY they name who can help, and ask for no address. */
export function addForgotPasswordPages(app: FastifyInstance, { admitAttempt, inTransaction, systemSql }: AppOptions): void {
  const isMailed = () => config().MAIL_KEY !== undefined
  const form = (error: string | null) => forgotPasswordForm({ action: routes.forgotPassword, back: routes.account, error })

  app.get(routes.forgotPassword, (_request, reply) =>
    reply.headers(pageHeaders()).send(isMailed() ? form(null) : forgotPasswordPage(routes.account)),
  )

  // The reply does not show whether there is an account.
  app.post(routes.forgotPassword, async (request, reply) => {
    if (!isMailed()) return reply.code(404).headers(pageHeaders()).send(forgotPasswordPage(routes.account))
    const email = readEmail(request.body)
    if (email === null) return reply.code(400).headers(pageHeaders()).send(form('Enter the e-mail address that you sign in with.'))
    const [entered] = await systemSql<{ address: string }>('password-reset.compared-address', toComparedAddress, { email })
    const admission = await admitAttempt('password-reset', { account: entered?.address ?? email, ip: request.ip, knownDevice: null })
    if (admission.rejected) {
      const { retryAfterSeconds } = admission
      return reply
        .code(429)
        .header('retry-after', retryAfterSeconds)
        .headers(pageHeaders())
        .send(form(formatTooManyAttempts(retryAfterSeconds)))
    }
    await inTransaction((transaction) => mailResetLink(email, transaction))
    return reply.headers(pageHeaders()).send(resetMailedPage(routes.account))
  })
}

function readEmail(body: unknown): string | null {
  const { email } = (body ?? {}) as { email?: unknown }
  const text = typeof email === 'string' ? email.trim() : ''
  return /^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 254 ? text : null
}
