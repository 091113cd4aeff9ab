import type { FastifyReply } from 'fastify'
import { formTarget, pageHeaders } from '../pages/layout.ts'
import { signInPage } from '../pages/sign-in-page.ts'
import { tryForm } from '../sign-in/sign-in-form.ts'
import { finish, type Step } from './step.ts'

export function showSignIn(step: Step): Promise<FastifyReply> {
  const hint = step.details.params['login_hint']
  return show(step, { status: 200, email: typeof hint === 'string' ? hint.slice(0, 254) : '', error: null })
}

export async function answerSignIn(step: Step): Promise<FastifyReply> {
  const outcome = await tryForm(step.options.signIn, { form: step.form, ip: step.request.ip })
  if (outcome.kind === 'signed-in') return finish(step, { login: { accountId: outcome.accountId, amr: ['pwd'] } }, false)
  if (outcome.retryAfterSeconds) step.reply.header('retry-after', outcome.retryAfterSeconds)
  return show(step, outcome)
}

interface Shown {
  status: number
  email: string
  error: string | null
}

async function show({ details, path, options, provider, reply }: Step, { status, email, error }: Shown): Promise<FastifyReply> {
  const client = await provider.Client.find(String(details.params['client_id']))
  const page = signInPage({
    action: `${path}/sign-in`,
    csrf: options.csrf.token(details.uid),
    clientName: client?.clientName ?? null,
    email,
    error,
  })
  return reply
    .code(status)
    .headers(pageHeaders(formTarget(details.params['redirect_uri'])))
    .send(page)
}
