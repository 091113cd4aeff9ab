import { randomUUID } from 'node:crypto'
import { declareCancellation, declareWithdrawal } from '@quittance/contracts/declarations'
import { ApiFailure } from '@quittance/pages/call-api'
import type { FormError } from '@quittance/pages/fields'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isEmailAddress, toAsciiAddress } from '../page/email-address.ts'
import { readPageContext, readText, type AppOptions, type PageContext } from '../page/page-context.ts'
import { loadOrganization, type PortalRoute } from '../portal/portal-session.ts'
import {
  sendFirstStep,
  sendReceived,
  sendSecondStep,
  type DeclarationKind,
  type DeclarationPlace,
  type TypedDeclaration,
} from './declaration-pages.ts'

type Request = FastifyRequest<PortalRoute>

/** Adds the public pages of withdrawal and cancellation: no sign-in, two steps, and a receipt (Directive 2011/83/EU, Art. 11a). */
export function addDeclarationRoutes(app: FastifyInstance, options: AppOptions): void {
  for (const kind of ['withdraw', 'cancel'] as const) {
    const url = `/:slug(^[a-z0-9-]+$)/${kind}`
    app.get<PortalRoute>(url, async (request, reply) => {
      const place = await findPlace(request, kind, options)
      return sendFirstStep(reply, { ...place, typed: readTyped(request.query), errors: [] })
    })
    app.post<PortalRoute>(url, async (request, reply) => {
      const place = await findPlace(request, kind, options)
      return receive(request, reply, { place, options })
    })
  }
}

async function findPlace(request: Request, kind: DeclarationKind, { api }: AppOptions): Promise<DeclarationPlace> {
  const context = readPageContext(request)
  const { slug } = request.params
  return { kind, context, organization: await loadOrganization(api, { slug, context }), action: `/${slug}/${kind}` }
}

function readTyped(values: unknown): TypedDeclaration {
  const text = (name: string, max: number) => (readText(values, name) ?? '').trim().slice(0, max)
  return {
    name: text('name', 100),
    email: toAsciiAddress(text('email', 254)),
    reference: text('reference', 200),
    ground: text('ground', 20) === 'for_cause' ? 'for_cause' : 'ordinary',
  }
}

async function receive(
  request: Request,
  reply: FastifyReply,
  { place, options }: { place: DeclarationPlace; options: AppOptions },
): Promise<FastifyReply> {
  const typed = readTyped(request.body)
  const intent = readText(request.body, 'switch_locale') ? 'change' : readText(request.body, 'intent')
  const errors = findErrors(typed, place.context)
  if (intent === 'change' || errors.length > 0) return sendFirstStep(reply, { ...place, typed, errors: intent === 'change' ? [] : errors })
  const once = readOnce(request)
  if (intent !== 'confirm') return sendSecondStep(reply, { ...place, typed, once, hasFirstStep: true })
  try {
    const receipt = await declare({ place, typed, once, options })
    const note = place.kind === 'withdraw' ? place.context.words.declaration.sellerNote(place.organization.name) : null
    return sendReceived(reply, { ...place, typed, receipt, note })
  } catch (error) {
    const rejected = toErrors(error, place.context)
    if (rejected.length > 0) return sendFirstStep(reply, { ...place, typed, errors: rejected })
    return sendSecondStep(reply, {
      ...place,
      typed,
      once: randomUUID(),
      hasFirstStep: true,
      error: place.context.words.declaration.tooMany,
    })
  }
}

/** Returns the random text of the page that is sent along; a first page gets a new one. */
export function readOnce(request: Request): string {
  return (readText(request.body, 'once') ?? '').replaceAll(/[^\w-]/g, '').slice(0, 64) || randomUUID()
}

function findErrors(typed: TypedDeclaration, { words }: PageContext): FormError[] {
  const missing: [boolean, keyof TypedDeclaration, string][] = [
    [!typed.name, 'name', words.errors.name],
    [!typed.reference, 'reference', words.declaration.missingContract],
    [!isEmailAddress(typed.email), 'email', words.errors.email],
  ]
  return missing.flatMap(([isMissing, field, message]) => (isMissing ? [{ field, message }] : []))
}

/** Returns the errors of fields; empty for too many declarations. Throws what the page cannot name. */
function toErrors(error: unknown, { words }: PageContext): FormError[] {
  if (!(error instanceof ApiFailure)) throw error
  if (error.error === 'TooManyRequests') return []
  if (error.status !== 422) throw error
  return error.issues.map(({ loc }) => {
    const field = String(loc[1] ?? '')
    return { field: field || null, message: field === 'email' ? words.errors.email : words.declaration.linkInText }
  })
}

interface Declared {
  place: DeclarationPlace
  typed: TypedDeclaration
  once: string
  options: AppOptions
}

function declare({ place, typed, once, options: { api } }: Declared) {
  const { kind, organization, context } = place
  const { name, email, reference, ground } = typed
  const declared = { organization_id: organization.id, name, email, reference, locale: context.language }
  const call = { visitor: context.visitor, idempotencyKey: once }
  if (kind === 'cancel') return api.call(declareCancellation, { ...declared, ground }, call)
  return api.call(declareWithdrawal, declared, call)
}
