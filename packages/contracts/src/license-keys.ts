import { z } from 'zod'
import { Customer } from './customers.ts'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** `revoked` follows the grant; `disabled` is set by the seller and remains until the seller changes it. */
const LicenseKeyStatus = z.enum(['granted', 'revoked', 'disabled'])
export type LicenseKeyStatus = z.infer<typeof LicenseKeyStatus>

/** Maximum stored count. */
export const maxCount = 2_147_483_647

/** Maximum number of activations of a key, so that a reply with all of them stays below the message size limit. */
export const maxActivationLimit = 1000

/** Terms of the license keys that a benefit grants. */
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
      limit: z.int().min(1).max(maxActivationLimit),
      enable_customer_admin: z.boolean().describe('Whether customers can see the activations of their keys.'),
    })
    .nullable()
    .default(null),
  limit_usage: z.int().min(1).max(maxCount).nullable().default(null),
})
export type LicenseKeyTerms = z.infer<typeof LicenseKeyTerms>

/** A key that a customer has through one grant of a benefit. */
export const LicenseKeyRead = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    customer_id: Id,
    customer: Customer,
    benefit_id: Id,
    key: z.string(),
    display_key: z.string().describe('The end of the key, which identifies it without disclosing it.'),
    status: LicenseKeyStatus,
    limit_activations: z.int().nullable().describe('Null if the key cannot be activated.'),
    usage: z.int(),
    limit_usage: z.int().nullable(),
    validations: z.int(),
    last_validated_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'LicenseKeyRead' })
export type LicenseKeyRead = z.infer<typeof LicenseKeyRead>

/** A device, or another unit counted by the seller's software, that uses a key. */
const LicenseKeyActivationBase = z
  .object({ id: Id, license_key_id: Id, label: z.string(), meta: Metadata, ...timestamps })
  .meta({ id: 'LicenseKeyActivationBase' })

/** A key with its activations; customers see the activations only if the benefit allows it. */
export const LicenseKeyWithActivations = LicenseKeyRead.extend({ activations: z.array(LicenseKeyActivationBase) }).meta({
  id: 'LicenseKeyWithActivations',
})
export type LicenseKeyWithActivations = z.infer<typeof LicenseKeyWithActivations>

/** An activation with its key. */
export const LicenseKeyActivationRead = LicenseKeyActivationBase.extend({ license_key: LicenseKeyRead }).meta({
  id: 'LicenseKeyActivationRead',
})
export type LicenseKeyActivationRead = z.infer<typeof LicenseKeyActivationRead>

/** A valid key, with the activation named in the request. */
export const ValidatedLicenseKey = LicenseKeyRead.extend({ activation: LicenseKeyActivationBase.nullable() }).meta({
  id: 'ValidatedLicenseKey',
})
export type ValidatedLicenseKey = z.infer<typeof ValidatedLicenseKey>

const reading = { status: 200, scopes: ['license_keys:read', 'license_keys:write'], callers: ['organization', 'user'] } as const

export const listLicenseKeys = operation({
  subject: 'orders.license-key.list',
  summary: 'List license keys, oldest first',
  http: { method: 'GET', path: '/v1/license-keys/', ...reading },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id), benefit_id: oneOrMany(Id), status: oneOrMany(LicenseKeyStatus) }),
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
    usage: z.int().min(0).max(maxCount).optional(),
    limit_activations: z.int().min(1).max(maxActivationLimit).nullish().describe('Null: no activations. Existing activations remain.'),
    limit_usage: z.int().min(1).max(maxCount).nullish().describe('Null: no limit.'),
    expires_at: Timestamp.nullish().describe('Null: never.'),
  }),
  reply: LicenseKeyRead,
  errors: [ResourceNotFound, RequestValidationError],
})

const customerOperation = { status: 200, scopes: [], callers: ['customer'] } as const

export const listCustomerLicenseKeys = operation({
  subject: 'orders.customer-license-key.list',
  summary: 'List your license keys, oldest first',
  http: { method: 'GET', path: '/v1/customer-portal/license-keys/', ...customerOperation },
  request: z.object({ ...pageRequest, organization_id: oneOrMany(Id), benefit_id: Id.optional() }),
  reply: ListReply(LicenseKeyRead),
  errors: [],
})

export const getCustomerLicenseKey = operation({
  subject: 'orders.customer-license-key.get',
  summary: 'Get one of your license keys, with its activations if the seller shows them',
  http: { method: 'GET', path: '/v1/customer-portal/license-keys/{id}', ...customerOperation },
  request: z.object({ id: Id }),
  reply: LicenseKeyWithActivations,
  errors: [ResourceNotFound],
})

const keyFields = { key: z.string().trim().min(1).max(200), organization_id: Id }

const validation = {
  request: z.object({
    ...keyFields,
    activation_id: Id.nullish(),
    benefit_id: Id.nullish(),
    customer_id: Id.nullish(),
    increment_usage: z.int().min(0).max(maxCount).nullish(),
    conditions: MetadataInput.default({}).describe('Must equal the conditions of the activation, if it has any.'),
  }),
  reply: ValidatedLicenseKey,
  errors: [ResourceNotFound, RequestValidationError],
}

const activation = {
  request: z.object({
    ...keyFields,
    label: z.string().trim().max(250),
    conditions: MetadataInput.default({}).describe('Conditions that validations of this activation must send; not returned.'),
    meta: MetadataInput.default({}),
  }),
  reply: LicenseKeyActivationRead,
  errors: [NotPermitted, ResourceNotFound, RequestValidationError],
}

const deactivation = { request: z.object({ ...keyFields, activation_id: Id }), reply: z.null(), errors: [ResourceNotFound] }

/** The key is the credential: these operations are called by software on the customer's machine, which has no other credential. */
const keyOperation = { method: 'POST', scopes: [], callers: ['anonymous'], actsOn: ['organization_id', 'key'] } as const
export const validateLicenseKey = operation({
  subject: 'orders.license-key.validate',
  summary: 'Validate a license key and count its use; a key that is revoked, disabled, expired or does not match the request is not found',
  http: { ...keyOperation, path: '/v1/customer-portal/license-keys/validate', status: 200 },
  ...validation,
})

export const activateLicenseKey = operation({
  subject: 'orders.license-key.activate',
  summary: 'Activate a license key, up to its limit of activations',
  http: { ...keyOperation, path: '/v1/customer-portal/license-keys/activate', status: 200 },
  ...activation,
})

export const deactivateLicenseKey = operation({
  subject: 'orders.license-key.deactivate',
  summary: 'Deactivate an activation of a license key; it no longer counts towards the limit',
  http: { ...keyOperation, path: '/v1/customer-portal/license-keys/deactivate', status: 204 },
  ...deactivation,
})

/** The same for servers of the seller, which have a credential: a key of another organization is not found. */
const sellerOperation = { method: 'POST', scopes: ['license_keys:write'], callers: ['organization', 'user'] } as const

export const validateSoldLicenseKey = operation({
  subject: 'orders.sold-license-key.validate',
  summary: 'Validate a license key and count its use, on a server of the seller',
  http: { ...sellerOperation, path: '/v1/license-keys/validate', status: 200 },
  ...validation,
})

export const activateSoldLicenseKey = operation({
  subject: 'orders.sold-license-key.activate',
  summary: 'Activate a license key, on a server of the seller',
  http: { ...sellerOperation, path: '/v1/license-keys/activate', status: 200 },
  ...activation,
})

export const deactivateSoldLicenseKey = operation({
  subject: 'orders.sold-license-key.deactivate',
  summary: 'Deactivate an activation of a license key, on a server of the seller',
  http: { ...sellerOperation, path: '/v1/license-keys/deactivate', status: 204 },
  ...deactivation,
})
