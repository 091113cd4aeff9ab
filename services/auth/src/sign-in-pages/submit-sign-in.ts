import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { readSecondFactors } from '../second-factors/second-factors.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { readDeviceHash } from '../sign-in/known-devices.ts'
import { renderSecondFactor } from './second-factor-form.ts'
import { renderSignIn, formatTooManyAttempts } from './sign-in-form.ts'
import type { SignInContext } from './sign-in-context.ts'

const Form = z.object({
  email: z
    .string()
    .min(1)
    .max(254)
    .regex(/^[^\0]*$/),
  password: z.string().min(1).max(200),
})

/** The same text for an unknown address and a wrong password. */
const wrongCredentials = 'E-mail address or password is wrong.'

/** Handles e-mail address and password; continues with the second factor if the account has one. */
export async function submitSignIn(context: SignInContext): Promise<FastifyReply> {
  const { options, provider, request, reply, form, confirms } = context
  const parsed = Form.safeParse(confirms ? { ...form, email: confirms.email } : form)
  const email = typeof form['email'] === 'string' ? form['email'].slice(0, 254) : ''
  if (!parsed.success) return renderSignIn(context, { status: 400, email, error: wrongCredentials })
  const outcome = await options.signIn({ ...parsed.data, ip: request.ip, device: readDeviceHash(provider, request, reply) })
  if (outcome.kind === 'throttled') return showThrottled(context, outcome.retryAfterSeconds)
  const isOther = confirms !== null && outcome.kind === 'matched' && outcome.accountId !== confirms.accountId
  if (outcome.kind === 'wrong' || isOther) return renderSignIn(context, { status: 401, email, error: wrongCredentials })
  const { accountId, changedAt } = outcome
  const factors = await readSecondFactors(options.systemSql, accountId)
  if (factors.isOn) return renderSecondFactor(context, { accountId, changedAt, factors, status: 200, error: null })
  return completeSignIn(context, { accountId, amr: ['pwd'] })
}

/** The same for every address, known or unknown. */
function showThrottled(context: SignInContext, retryAfterSeconds: number): Promise<FastifyReply> {
  context.reply.header('retry-after', retryAfterSeconds)
  const email = typeof context.form['email'] === 'string' ? context.form['email'].slice(0, 254) : ''
  return renderSignIn(context, { status: 429, email, error: formatTooManyAttempts(retryAfterSeconds) })
}
