import type { FastifyInstance, FastifyReply } from 'fastify'
import { hashToken, looksMinted } from '@quittance/runtime/credential'
import type { AppOptions } from '../web/app-options.ts'
import { pageHeaders } from '../pages/layout.ts'
import { resetDonePage, resetOverPage, resetPasswordPage } from '../pages/reset-password-page.ts'
import { routes } from '../routes.ts'
import { removeSecondFactors } from '../second-factors/second-factors.ts'
import { endSessions } from '../sessions/session-list.ts'
import { deleteDevices } from '../sign-in/known-devices.ts'
import { findPasswordProblem, setPassword } from '../accounts/set-password.ts'
import { hashPassword } from '../identity/password.ts'

interface ResetRow {
  account_id: string
  email: string
}

const find = `
  select r.account_id, a.email from password_resets r join accounts a on a.id = r.account_id
  where r.token_hash = :hash and r.expires_at > now()`

/** Consumes the link. Of two concurrent requests with it, one gets the row. */
const use = `
  delete from password_resets where token_hash = :hash and expires_at > now() returning account_id, removes_second_factors`

/** Adds the pages of the one-time link. Opening the link does not consume it: mail scanners open links before users do. */
export function addResetPages(app: FastifyInstance, { systemSql, inTransaction }: AppOptions): void {
  app.get(routes.resetPassword, async (request, reply) => {
    const token = readToken(request.query)
    const found = token && (await findReset(token))
    return found ? show(reply, { status: 200, token, email: found.email, error: null }) : showOver(reply)
  })

  app.post(routes.resetPassword, async (request, reply) => {
    const form = (request.body ?? {}) as Record<string, unknown>
    const token = readToken(form)
    const found = token && (await findReset(token))
    if (!found) return showOver(reply)
    const refusal = findPasswordProblem(form['new_password'], { email: found.email, repeated: form['repeated_password'] })
    if (refusal) return show(reply, { status: 400, token, email: found.email, error: refusal })
    const hash = await hashPassword(form['new_password'] as string)
    const isDone = await reset(token, hash)
    return isDone ? reply.headers(pageHeaders()).send(resetDonePage(routes.account)) : showOver(reply)
  })

  async function findReset(token: string): Promise<ResetRow | undefined> {
    return (await systemSql<ResetRow>('password-reset.find', find, { hash: hashToken(token) }))[0]
  }

  /**
   * Sets the password and ends all sessions, so that an attacker who knew the old password is signed out. Applications and tokens stay for
   * the user to revoke.
   */
  function reset(token: string, hash: string): Promise<boolean> {
    return inTransaction(async (transaction) => {
      const used = await transaction.systemSql<{ account_id: string; removes_second_factors: boolean }>('password-reset.use', use, {
        hash: hashToken(token),
      })
      const [row] = used
      if (!row) return false
      await setPassword(transaction.systemSql, { accountId: row.account_id, hash })
      await endSessions(transaction.systemSql, { accountId: row.account_id, uid: null })
      await deleteDevices(transaction.systemSql, row.account_id)
      if (row.removes_second_factors) await removeSecondFactors(transaction.systemSql, row.account_id)
      return true
    })
  }
}

function readToken(input: unknown): string | null {
  const { token } = (input ?? {}) as { token?: unknown }
  return typeof token === 'string' && looksMinted(token) ? token : null
}

interface Shown {
  status: number
  token: string
  email: string
  error: string | null
}

function show(reply: FastifyReply, { status, token, email, error }: Shown): FastifyReply {
  const page = resetPasswordPage({ action: routes.resetPassword, token, email, error })
  return reply.code(status).headers(pageHeaders()).send(page)
}

function showOver(reply: FastifyReply): FastifyReply {
  return reply.code(400).headers(pageHeaders()).send(resetOverPage(routes.forgotPassword))
}
