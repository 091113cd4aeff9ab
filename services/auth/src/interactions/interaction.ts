import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors } from 'oidc-provider'
import type { AppOptions } from '../http/app-options.ts'
import { routes } from '../provider/routes.ts'
import { answerConsent, showConsent } from './consent.ts'
import { createOrganization } from './create-organization.ts'
import { answerSignIn, showSignIn } from './sign-in.ts'
import type { Details, Step } from './step.ts'
import { switchAccount } from './switch-account.ts'

type Handle = (step: Step) => Promise<FastifyReply>

/** The way of a person through an authorization request: sign in, then choose and consent. */
export function addInteractions(app: FastifyInstance, options: AppOptions): void {
  const url = `${routes.interaction}/:uid`
  app.get(url, (request, reply) => run(request, reply, ({ details, ...step }) => pageOf(details)({ details, ...step })))
  app.post(`${url}/sign-in`, (request, reply) => run(request, reply, guarded('login', answerSignIn)))
  app.post(`${url}/consent`, (request, reply) => run(request, reply, guarded('consent', answerConsent)))
  app.post(`${url}/organization`, (request, reply) => run(request, reply, guarded('consent', createOrganization)))
  app.post(`${url}/switch`, (request, reply) => run(request, reply, guarded('consent', switchAccount)))

  async function run(request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<FastifyReply> {
    const provider = options.provider()
    const details = await provider.interactionDetails(request.raw, reply.raw)
    const { uid } = request.params as { uid: string }
    if (details.uid !== uid) throw new errors.SessionNotFound('interaction and address do not match')
    const form = (request.body ?? {}) as Record<string, unknown>
    return handle({ options, provider, details, path: `${routes.interaction}/${uid}`, request, reply, form })
  }

  /** Only a form of the step that is being asked, from a page of ours. A step already answered is shown where it is now. */
  function guarded(prompt: string, handle: Handle): Handle {
    return async (step) => {
      if (!options.csrf.matches(step.details.uid, step.form['csrf'])) throw new errors.SessionNotFound('the form is not ours')
      return step.details.prompt.name === prompt ? handle(step) : step.reply.redirect(step.path, 303)
    }
  }
}

function pageOf({ prompt }: Details): Handle {
  return prompt.name === 'login' ? showSignIn : showConsent
}
