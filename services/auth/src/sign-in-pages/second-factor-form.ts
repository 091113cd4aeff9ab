import type { FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { isPasswordUnchanged } from '../identity/password.ts'
import { pageHeaders } from '../pages/layout.ts'
import { passkeyScriptHash } from '../pages/passkey-script.ts'
import { secondFactorPage } from '../pages/second-factor-page.ts'
import { createPasskeyOptions, verifyPasskey } from '../second-factors/passkey-sign-in.ts'
import { useRecoveryCode } from '../second-factors/recovery-codes.ts'
import { readSecondFactors, type SecondFactors } from '../second-factors/second-factors.ts'
import { useTotp } from '../second-factors/totp.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { readDeviceHash, isKnownDevice } from '../sign-in/known-devices.ts'
import { formatTooManyAttempts } from './sign-in-form.ts'
import type { SignInContext } from './sign-in-context.ts'

/** Time between the password and the second factor. */
const pendingSeconds = 10 * 60

/** The step after a password. States of release 0.1.0 lack the time of the password, so that they have another purpose. */
const purpose = 'second-factor-of-password'

/** The account whose password was correct, and when that password was set: a password that is changed since ends the step. */
interface PassedPassword {
  accountId: string
  changedAt: string | null
}

interface Shown extends PassedPassword {
  factors: SecondFactors
  status: number
  error: string | null
  /** State of the submitted form: a wrong code does not extend the time. Absent right after the password. */
  pending?: string
}

/** Shows the page after the correct password, for an account with a second factor. */
export async function renderSecondFactor(
  context: SignInContext,
  { accountId, changedAt, factors, status, error, pending }: Shown,
): Promise<FastifyReply> {
  const { options, path, suffix, subject } = context
  const page = secondFactorPage({
    path,
    suffix,
    csrf: options.csrf.token(subject),
    pending: pending ?? options.state.sign({ purpose, subject }, JSON.stringify({ accountId, changedAt }), pendingSeconds),
    hasTotp: factors.hasTotp,
    passkey: factors.passkeyCount > 0 ? await createPasskeyOptions(context, accountId) : null,
    error,
  })
  return context.reply
    .code(status)
    .headers(pageHeaders({ endsAtClient: context.endsAtClient, scriptHashes: [passkeyScriptHash] }))
    .send(page)
}

/** Handles a code of the authenticator app, a recovery code, or a passkey. */
export async function submitSecondFactor(context: SignInContext): Promise<FastifyReply> {
  const { options, provider, request, reply, form, subject } = context
  const state = options.state.open({ purpose, subject }, form['pending'])
  if (!state) throw new errors.SessionNotFound('the password was entered too long ago')
  const passed = JSON.parse(state) as PassedPassword
  if (!(await isPasswordUnchanged(options.systemSql, passed))) throw new errors.SessionNotFound('the password was changed since')
  const { accountId } = passed
  const pending = form['pending'] as string
  const device = readDeviceHash(provider, request, reply)
  const knownDevice = (await isKnownDevice(options.systemSql, { accountId, device })) ? device : null
  const factors = await readSecondFactors(options.systemSql, accountId)
  const admission = await options.admitAttempt('second-factor', { account: accountId, ip: request.ip, knownDevice })
  if (admission.rejected) {
    reply.header('retry-after', admission.retryAfterSeconds)
    const error = formatTooManyAttempts(admission.retryAfterSeconds)
    return renderSecondFactor(context, { ...passed, factors, status: 429, error, pending })
  }
  const used = await useFactor(context, accountId)
  if (!used) return renderSecondFactor(context, { ...passed, factors, status: 401, error: wrongFactor(form), pending })
  await admission.succeeded()
  return completeSignIn(context, { accountId, amr: ['pwd', ...used, 'mfa'] })
}

function wrongFactor(form: Record<string, unknown>): string {
  return typeof form['credential'] === 'string' ? 'This passkey was not accepted.' : 'The code is wrong, or was used before.'
}

/** Returns how the user proved it, as a value of RFC 8176; null if the proof is invalid. */
async function useFactor(context: SignInContext, accountId: string): Promise<string[] | null> {
  const { options, form } = context
  if (typeof form['credential'] === 'string') {
    const verified = await verifyPasskey(context, accountId)
    return verified && [verified.isHardware ? 'hwk' : 'swk']
  }
  const code = typeof form['code'] === 'string' ? form['code'].replaceAll(/[\s-]/g, '') : ''
  if (/^\d{6}$/.test(code)) return (await useTotp(options, { accountId, code })) ? ['otp'] : null
  return (await useRecoveryCode(options.systemSql, { accountId, code })) ? ['otp'] : null
}
