import { z } from 'zod'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, OrganizationIdInput, oneOrMany, timestamps } from './identifiers.ts'
import { LicenseKeyTerms } from './license-keys.ts'
import { Metadata, MetadataFilter, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

export const BenefitType = z.enum(['custom', 'discord', 'github_repository', 'downloadables', 'license_keys', 'meter_credit'])
export type BenefitType = z.infer<typeof BenefitType>

const benefitFields = {
  id: Id,
  ...timestamps,
  description: z.string(),
  selectable: z.boolean(),
  deletable: z.boolean(),
  is_deleted: z.boolean(),
  visibility: z.enum(['draft', 'private', 'public']).describe('Always `public`.'),
  visibility_configurable: z.boolean(),
  organization_id: Id,
}

/** A benefit as shown publicly on a product. */
export const BenefitPublic = z.object({ ...benefitFields, type: BenefitType }).meta({ id: 'BenefitPublic' })

function variant<const Type extends BenefitType, Properties extends z.ZodType>(type: Type, properties: Properties) {
  return z.object({ ...benefitFields, type: z.literal(type), metadata: Metadata, properties })
}

export const BenefitCustom = variant('custom', z.object({ note: z.string().nullable() }))
  .extend({ is_tax_applicable: z.boolean().meta({ deprecated: true, description: 'Deprecated; has no effect.' }) })
  .meta({ id: 'BenefitCustom' })

const LicenseKeyExpiration = z.object({ ttl: z.int().min(1), timeframe: z.enum(['year', 'month', 'day']) })
const LicenseKeyActivations = z.object({ limit: z.int().min(1), enable_customer_admin: z.boolean() })

export const BenefitLicenseKeys = variant(
  'license_keys',
  z.object({
    prefix: z.string().nullable(),
    expires: LicenseKeyExpiration.nullable(),
    activations: LicenseKeyActivations.nullable(),
    limit_usage: z.int().nullable(),
  }),
).meta({ id: 'BenefitLicenseKeys' })

const BenefitDownloadables = variant('downloadables', z.object({ archived: z.record(z.string(), z.boolean()), files: z.array(Id) })).meta({
  id: 'BenefitDownloadables',
})

const BenefitDiscord = variant('discord', z.object({ guild_id: z.string(), role_id: z.string(), guild_token: z.string() })).meta({
  id: 'BenefitDiscord',
})

const BenefitGitHubRepository = variant(
  'github_repository',
  z.object({
    repository_owner: z.string(),
    repository_name: z.string(),
    permission: z.enum(['pull', 'triage', 'push', 'maintain', 'admin']),
  }),
).meta({ id: 'BenefitGitHubRepository' })

const BenefitMeterCredit = variant('meter_credit', z.object({ units: z.int(), rollover: z.boolean(), meter_id: Id })).meta({
  id: 'BenefitMeterCredit',
})

/** A benefit that customers of a product are granted. */
export const Benefit = z.discriminatedUnion('type', [
  BenefitCustom,
  BenefitDiscord,
  BenefitGitHubRepository,
  BenefitDownloadables,
  BenefitLicenseKeys,
  BenefitMeterCredit,
])
export type Benefit = z.infer<typeof Benefit>

const description = z.string().trim().min(3).max(42).meta({ example: 'A seat by the window' })

const CustomProperties = z.object({ note: z.string().max(20_000).nullable().default(null) })

/** Types that cannot be granted yet. Their shape is known, so the error can name them. */
const UnsupportedBenefitType = BenefitType.exclude(['custom', 'license_keys'])

const creation = { description, metadata: MetadataInput.default({}), organization_id: OrganizationIdInput }

export const createBenefit = operation({
  subject: 'orders.benefit.create',
  summary: 'Create a benefit',
  http: { method: 'POST', path: '/v1/benefits/', status: 201, scopes: ['benefits:write'], callers: ['organization', 'user'] },
  request: z.discriminatedUnion('type', [
    z.object({ type: z.literal('custom'), ...creation, properties: CustomProperties }),
    z.object({ type: z.literal('license_keys'), ...creation, properties: LicenseKeyTerms }),
    z.object({ type: UnsupportedBenefitType, ...creation, properties: z.record(z.string(), z.unknown()) }),
  ]),
  reply: Benefit,
  errors: [RequestValidationError],
})

const reading = { status: 200, scopes: ['benefits:read', 'benefits:write'], callers: ['organization', 'user'] } as const

export const getBenefit = operation({
  subject: 'orders.benefit.get',
  summary: 'Get a benefit',
  http: { method: 'GET', path: '/v1/benefits/{id}', ...reading },
  request: z.object({ id: Id }),
  reply: Benefit,
  errors: [ResourceNotFound],
})

export const listBenefits = operation({
  subject: 'orders.benefit.list',
  summary: 'List benefits',
  http: { method: 'GET', path: '/v1/benefits/', ...reading },
  request: z.object({
    ...pageRequest,
    id: oneOrMany(Id),
    exclude_id: oneOrMany(Id).describe('Benefits that are left out.'),
    organization_id: oneOrMany(Id),
    type: oneOrMany(BenefitType),
    query: z.string().max(200).optional().describe('Part of the description.'),
    metadata: MetadataFilter,
    sorting: sorting(['created_at', 'description'], '-created_at'),
  }),
  reply: ListReply(Benefit),
  errors: [],
})

const change = { id: Id, description: description.nullish(), metadata: MetadataInput.optional() }

export const updateBenefit = operation({
  subject: 'orders.benefit.update',
  summary: 'Change a benefit; the request must name its type, which cannot change; license keys already granted are not changed',
  http: { method: 'PATCH', path: '/v1/benefits/{id}', status: 200, scopes: ['benefits:write'], callers: ['organization', 'user'] },
  request: z.discriminatedUnion('type', [
    z.object({ type: z.literal('custom'), ...change, properties: CustomProperties.nullish() }),
    z.object({ type: z.literal('license_keys'), ...change, properties: LicenseKeyTerms.nullish() }),
    z.object({ type: UnsupportedBenefitType, ...change, properties: z.record(z.string(), z.unknown()).nullish() }),
  ]),
  reply: Benefit,
  errors: [RequestValidationError, ResourceNotFound],
})

export const deleteBenefit = operation({
  subject: 'orders.benefit.delete',
  summary: 'Delete a benefit; it is removed from its products, and all its grants are revoked',
  http: { method: 'DELETE', path: '/v1/benefits/{id}', status: 204, scopes: ['benefits:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})

export const benefitCreated = event({
  subject: 'event.benefit.created',
  publisher: 'orders',
  webhookType: 'benefit.created',
  summary: 'A benefit was created.',
  payload: Benefit,
})

export const benefitUpdated = event({
  subject: 'event.benefit.updated',
  publisher: 'orders',
  webhookType: 'benefit.updated',
  summary: 'A benefit was changed or deleted.',
  payload: Benefit,
})
