import type { FastifyReply } from 'fastify'
import { verifyPasskey } from '../second-factors/passkey-sign-in.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { renderSignIn, formatTooManyAttempts } from './sign-in-form.ts'
import type { SignInContext } from './sign-in-context.ts'

/** Signs in with a passkey without a password: possession, and user verification by the device. */
export async function submitPasskey(context: SignInContext): Promise<FastifyReply> {
  const { options, request, reply, confirms } = context
  const admission = await options.admitAttempt('passkey', { account: '', ip: request.ip, knownDevice: null })
  if (admission.rejected) {
    reply.header('retry-after', admission.retryAfterSeconds)
    return renderSignIn(context, { status: 429, email: '', error: formatTooManyAttempts(admission.retryAfterSeconds) })
  }
  const verified = await verifyPasskey(context, null)
  if (!verified || (confirms && verified.accountId !== confirms.accountId)) {
    return renderSignIn(context, { status: 401, email: '', error: 'This passkey was not accepted. Sign in with your password.' })
  }
  await admission.succeeded()
  return completeSignIn(context, { accountId: verified.accountId, amr: [verified.isHardware ? 'hwk' : 'swk', 'user', 'mfa'], acr: 'phr' })
}
