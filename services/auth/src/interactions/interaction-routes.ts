import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors } from 'oidc-provider'
import type { AppOptions } from '../web/app-options.ts'
import { routes } from '../routes.ts'
import { handleConsent, renderConsent, requireSignedInAccount } from './consent.ts'
import { renderSignInStep, signInSteps } from './sign-in-step.ts'
import type { InteractionDetails, InteractionContext } from './interaction-context.ts'
import { keepAccount, renderAccountSelection } from './select-account.ts'
import { switchAccount } from './switch-account.ts'
import { randomBytes } from 'node:crypto'
import { OrganizationName } from '@quittance/contracts/organizations'
import { createOrganizationWithOwner, isSlugTaken, slugify } from '../organizations/create-organization-with-owner.ts'
import { lockAccount } from '../identity/lock-account.ts'

type Handle = (step: InteractionContext) => Promise<FastifyReply>

/** Adds the pages of an authorization request: sign-in, then choice of organization and consent. */
export function addInteractionRoutes(app: FastifyInstance, options: AppOptions): void {
  const url = `${routes.interaction}/:uid`
  app.get(url, (request, reply) => run(request, reply, ({ details, ...step }) => selectPage(details)({ details, ...step })))
  for (const [name, answer] of Object.entries(signInSteps)) {
    app.post(`${url}/${name}`, (request, reply) => run(request, reply, guarded(['login'], answer)))
  }
  app.post(`${url}/consent`, (request, reply) => run(request, reply, guarded(['consent'], handleConsent)))
  app.post(`${url}/organization`, (request, reply) => run(request, reply, guarded(['consent'], handleCreateOrganization)))
  app.post(`${url}/switch`, (request, reply) => run(request, reply, guarded(['consent', 'select_account'], switchAccount)))
  app.post(`${url}/keep-account`, (request, reply) => run(request, reply, guarded(['select_account'], keepAccount)))

  async function run(request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<FastifyReply> {
    const provider = options.provider()
    const details = await provider.interactionDetails(request.raw, reply.raw)
    const { uid } = request.params as { uid: string }
    if (details.uid !== uid) throw new errors.SessionNotFound('interaction and URL do not match')
    const form = (request.body ?? {}) as Record<string, unknown>
    return handle({ options, provider, details, path: `${routes.interaction}/${uid}`, request, reply, form })
  }

  /** Accepts only a form that this server issued for the current step, which is one of `prompts`. For a completed step it redirects to the current one. */
  function guarded(prompts: readonly string[], handle: Handle): Handle {
    return async (step) => {
      if (!options.csrf.matches(step.details.uid, step.form['csrf']))
        throw new errors.SessionNotFound('the form was not issued for this interaction')
      return prompts.includes(step.details.prompt.name) ? handle(step) : step.reply.redirect(step.path, 303)
    }
  }
}

const pages: Readonly<Record<string, Handle>> = { login: renderSignInStep, select_account: renderAccountSelection, consent: renderConsent }

function selectPage({ prompt }: InteractionDetails): Handle {
  const page = pages[prompt.name]
  if (!page) throw new Error(`There is no page for the prompt ${prompt.name}`)
  return page
}

const findMembership = `select 1 from members where account_id = :account_id limit 1`

/** Creates an organization during the authorization request, for a user without one, and returns to the consent page. */
export async function handleCreateOrganization(step: InteractionContext): Promise<FastifyReply> {
  const { form, options } = step
  const named = OrganizationName.safeParse(form['organization_name'])
  if (!named.success) return renderConsent(step, { status: 400, error: 'The name must have 3 to 100 characters, all of them visible.' })
  const name = named.data
  const accountId = requireSignedInAccount(step)
  await options.inTransaction(async (transaction) => {
    // A form that is submitted twice creates one organization.
    await lockAccount(transaction.systemSql, accountId)
    if ((await transaction.systemSql('member.any', findMembership, { account_id: accountId })).length > 0) return
    const plain = slugify(name)
    const slug = (await isSlugTaken(transaction, plain)) ? `${plain}-${randomBytes(3).toString('hex')}` : plain
    await createOrganizationWithOwner(transaction, { accountId, name, slug, profile: {} })
  })
  return step.reply.redirect(step.path, 303)
}
