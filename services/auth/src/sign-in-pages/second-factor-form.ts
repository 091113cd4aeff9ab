import type { FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
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

interface Shown {
  accountId: string
  factors: SecondFactors
  status: number
  error: string | null
  /** State of the submitted form: a wrong code does not extend the time. Absent right after the password. */
  pending?: string
}

/** Shows the page after the correct password, for an account with a second factor. */
export async function renderSecondFactor(
  context: SignInContext,
  { accountId, factors, status, error, pending }: Shown,
): Promise<FastifyReply> {
  const { options, path, suffix, subject } = context
  const page = secondFactorPage({
    path,
    suffix,
    csrf: options.csrf.token(subject),
    pending: pending ?? options.state.sign({ purpose: 'second-factor', subject }, accountId, pendingSeconds),
    hasTotp: factors.hasTotp,
    passkey: factors.passkeyCount > 0 ? await createPasskeyOptions(context, accountId) : null,
    error,
  })
  return context.reply
    .code(status)
    .headers(pageHeaders(context.formTargets, [passkeyScriptHash]))
    .send(page)
}

/** Handles a code of the authenticator app, a recovery code, or a passkey. */
export async function submitSecondFactor(context: SignInContext): Promise<FastifyReply> {
  const { options, provider, request, reply, form, subject } = context
  const accountId = options.state.open({ purpose: 'second-factor', subject }, form['pending'])
  if (!accountId) throw new errors.SessionNotFound('the password was entered too long ago')
  const pending = form['pending'] as string
  const device = readDeviceHash(provider, request, reply)
  const knownDevice = (await isKnownDevice(options.systemSql, { accountId, device })) ? device : null
  const factors = await readSecondFactors(options.systemSql, accountId)
  const admission = await options.admitAttempt('second-factor', { account: accountId, ip: request.ip, knownDevice })
  if (admission.rejected) {
    reply.header('retry-after', admission.retryAfterSeconds)
    return renderSecondFactor(context, {
      accountId,
      factors,
      status: 429,
      error: formatTooManyAttempts(admission.retryAfterSeconds),
      pending,
    })
  }
  const used = await useFactor(context, accountId)
  if (!used) return renderSecondFactor(context, { accountId, factors, status: 401, error: wrongFactor(form), pending })
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
