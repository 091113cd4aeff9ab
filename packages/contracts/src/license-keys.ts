import { z } from 'zod'
import { Customer } from './customers.ts'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** `revoked` comes and goes with the grant; `disabled` is the seller's word and stays until the seller says otherwise. */
const LicenseKeyStatus = z.enum(['granted', 'revoked', 'disabled'])
export type LicenseKeyStatus = z.infer<typeof LicenseKeyStatus>

/** The largest count that is kept. */
export const largestCount = 2_147_483_647

/** More than a key can have in use, so that the answer with all of them stays small enough to send. */
export const largestActivationLimit = 1000

/** What a benefit says of the keys it will give. */
export const LicenseKeyTerms = z.object({
  prefix: z
    .string()
    .trim()
    .max(50)
    .transform((prefix) => prefix || null)
    .nullable()
    .default(null),
  expires: z
    .object({ ttl: z.int().min(1), timeframe: z.enum(['year', 'month', 'day']) })
    .refine(({ ttl, timeframe }) => ttl <= { year: 100, month: 1200, day: 36_525 }[timeframe], 'At most 100 years.')
    .nullable()
    .default(null),
  activations: z
    .object({
      limit: z.int().min(1).max(largestActivationLimit),
      enable_customer_admin: z.boolean().describe('Whether customers see the activations of their keys.'),
    })
    .nullable()
    .default(null),
  limit_usage: z.int().min(1).max(largestCount).nullable().default(null),
})
export type LicenseKeyTerms = z.infer<typeof LicenseKeyTerms>

/** A key that a customer has by one grant of a benefit. */
export const LicenseKeyRead = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    customer_id: Id,
    customer: Customer,
    benefit_id: Id,
    key: z.string(),
    display_key: z.string().describe('The end of the key, to tell it from others without showing it.'),
    status: LicenseKeyStatus,
    limit_activations: z.int().nullable().describe('Null where the key takes no activations.'),
    usage: z.int(),
    limit_usage: z.int().nullable(),
    validations: z.int(),
    last_validated_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'LicenseKeyRead' })
export type LicenseKeyRead = z.infer<typeof LicenseKeyRead>

/** A device, or whatever else the seller's software counts, that uses a key. */
const LicenseKeyActivationBase = z
  .object({ id: Id, license_key_id: Id, label: z.string(), meta: Metadata, ...timestamps })
  .meta({ id: 'LicenseKeyActivationBase' })

/** A key with what it was activated for; a customer is shown that only where the benefit lets customers see it. */
export const LicenseKeyWithActivations = LicenseKeyRead.extend({ activations: z.array(LicenseKeyActivationBase) }).meta({
  id: 'LicenseKeyWithActivations',
})
export type LicenseKeyWithActivations = z.infer<typeof LicenseKeyWithActivations>

/** An activation with its key. */
export const LicenseKeyActivationRead = LicenseKeyActivationBase.extend({ license_key: LicenseKeyRead }).meta({
  id: 'LicenseKeyActivationRead',
})
export type LicenseKeyActivationRead = z.infer<typeof LicenseKeyActivationRead>

/** A key that is good, with the activation it was asked about. */
export const ValidatedLicenseKey = LicenseKeyRead.extend({ activation: LicenseKeyActivationBase.nullable() }).meta({
  id: 'ValidatedLicenseKey',
})
export type ValidatedLicenseKey = z.infer<typeof ValidatedLicenseKey>

const reading = { status: 200, scopes: ['license_keys:read', 'license_keys:write'], callers: ['organization', 'user'] } as const

export const listLicenseKeys = operation({
  subject: 'orders.license-key.list',
  summary: 'List license keys, oldest first',
  http: { method: 'GET', path: '/v1/license-keys/', ...reading },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id), benefit_id: oneOrMany(Id) }),
  reply: ListReply(LicenseKeyRead),
  errors: [],
})

export const getLicenseKey = operation({
  subject: 'orders.license-key.get',
  summary: 'Get a license key with its activations',
  http: { method: 'GET', path: '/v1/license-keys/{id}', ...reading },
  request: z.object({ id: Id }),
  reply: LicenseKeyWithActivations,
  errors: [ResourceNotFound],
})

export const getLicenseKeyActivation = operation({
  subject: 'orders.license-key.get-activation',
  summary: 'Get an activation of a license key',
  http: { method: 'GET', path: '/v1/license-keys/{id}/activations/{activation_id}', ...reading },
  request: z.object({ id: Id, activation_id: Id }),
  reply: LicenseKeyActivationRead,
  errors: [ResourceNotFound],
})

export const updateLicenseKey = operation({
  subject: 'orders.license-key.update',
  summary: 'Change the status, limits, usage or expiry of a license key',
  http: {
    method: 'PATCH',
    path: '/v1/license-keys/{id}',
    status: 200,
    scopes: ['license_keys:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    id: Id,
    status: LicenseKeyStatus.nullish(),
    usage: z.int().min(0).max(largestCount).optional(),
    limit_activations: z.int().min(1).max(largestActivationLimit).nullish().describe('Null: no activations. What is active stays.'),
    limit_usage: z.int().min(1).max(largestCount).nullish().describe('Null: no limit.'),
    expires_at: Timestamp.nullish().describe('Null: never.'),
  }),
  reply: LicenseKeyRead,
  errors: [ResourceNotFound, RequestValidationError],
})

const own = { status: 200, scopes: [], callers: ['customer'] } as const

export const listCustomerLicenseKeys = operation({
  subject: 'orders.customer-license-key.list',
  summary: 'List your license keys, oldest first',
  http: { method: 'GET', path: '/v1/customer-portal/license-keys/', ...own },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id), benefit_id: Id.optional() }),
  reply: ListReply(LicenseKeyRead),
  errors: [],
})

export const getCustomerLicenseKey = operation({
  subject: 'orders.customer-license-key.get',
  summary: 'Get one of your license keys, with its activations where the seller shows them',
  http: { method: 'GET', path: '/v1/customer-portal/license-keys/{id}', ...own },
  request: z.object({ id: Id }),
  reply: LicenseKeyWithActivations,
  errors: [ResourceNotFound],
})

/** The key is the permission: these are asked by software on the customer's machine, which holds no other credential. */
const holder = { method: 'POST', scopes: [], callers: ['anonymous'] } as const
const held = { key: z.string().trim().min(1).max(200), organization_id: Id }

export const validateLicenseKey = operation({
  subject: 'orders.license-key.validate',
  summary: 'Check a license key, and count a use of it; one that is revoked, disabled, expired or of something else is not found',
  http: { ...holder, path: '/v1/customer-portal/license-keys/validate', status: 200 },
  request: z.object({
    ...held,
    activation_id: Id.nullish(),
    benefit_id: Id.nullish(),
    customer_id: Id.nullish(),
    increment_usage: z.int().min(0).max(largestCount).nullish(),
    conditions: MetadataInput.default({}).describe('Must be those the activation was made under, where it was made under any.'),
  }),
  reply: ValidatedLicenseKey,
  errors: [ResourceNotFound, RequestValidationError],
})

export const activateLicenseKey = operation({
  subject: 'orders.license-key.activate',
  summary: 'Activate a license key, as often as its limit says',
  http: { ...holder, path: '/v1/customer-portal/license-keys/activate', status: 200 },
  request: z.object({
    ...held,
    label: z.string().trim().max(250),
    conditions: MetadataInput.default({}).describe('What validations of this activation will have to say; not shown again.'),
    meta: MetadataInput.default({}),
  }),
  reply: LicenseKeyActivationRead,
  errors: [NotPermitted, ResourceNotFound, RequestValidationError],
})

export const deactivateLicenseKey = operation({
  subject: 'orders.license-key.deactivate',
  summary: 'End an activation of a license key, which makes room for another',
  http: { ...holder, path: '/v1/customer-portal/license-keys/deactivate', status: 204 },
  request: z.object({ ...held, activation_id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})
