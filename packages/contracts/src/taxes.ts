import { z } from 'zod'
import { Country, findSubdivisions } from './countries.ts'
import { displayName } from './display-name.ts'
import { RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, OrganizationIdInput, oneOrMany, timestamps } from './identifiers.ts'
import { Amount } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

/** Whether a price includes its tax or tax is added to it. */
export const TaxBehavior = z.enum(['exclusive', 'inclusive'])
export type TaxBehavior = z.infer<typeof TaxBehavior>

/** Tax that an organization charges buyers of a country or of a subdivision of it. */
export const TaxRate = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    country: z.string(),
    state: z.string().nullable(),
    name: z.string().describe('Name as printed: VAT, GST, Sales tax.'),
    percentage: z.number(),
    reverse_charge: z.boolean().describe('Buyers with a valid tax ID owe the tax themselves; none is charged.'),
  })
  .meta({ id: 'TaxRate' })
export type TaxRate = z.infer<typeof TaxRate>

/** Tax of one rate in a checkout or an order: computed and rounded once, from the sum of all taxable amounts. */
export const AppliedTax = z
  .object({
    name: z.string(),
    country: z.string(),
    state: z.string().nullable(),
    percentage: z.number(),
    reverse_charge: z.boolean(),
    taxable_amount: Amount,
    amount: Amount,
  })
  .meta({ id: 'AppliedTax' })
export type AppliedTax = z.infer<typeof AppliedTax>

const state = z.string().regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'Must be an ISO 3166-2 code.')
const name = displayName({ min: 1, max: 50 })
const percentage = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => Math.abs(value * 10_000 - Math.round(value * 10_000)) < 1e-6, 'At most four digits after the decimal point.')

const scopes = { scopes: ['organizations:read', 'organizations:write'], callers: ['organization', 'user'] } as const
const writeScopes = { scopes: ['organizations:write'], callers: ['organization', 'user'] } as const

export const createTaxRate = operation({
  subject: 'orders.tax-rate.create',
  summary: 'Create the tax rate for buyers of a country or of a subdivision of it',
  http: { method: 'POST', path: '/v1/tax-rates/', status: 201, ...writeScopes },
  request: z
    .object({
      country: Country,
      state: state.nullish(),
      name,
      percentage,
      reverse_charge: z.boolean().default(false),
      organization_id: OrganizationIdInput,
    })
    .refine((rate) => !rate.state || rate.state.startsWith(`${rate.country}-`), {
      path: ['state'],
      message: 'Must be a subdivision of the country.',
    })
    .refine((rate) => !rate.state || (findSubdivisions(rate.country)?.has(rate.state) ?? true), {
      path: ['state'],
      message: 'Must be a state or province of the country.',
    }),
  reply: TaxRate,
  errors: [RequestValidationError],
})

export const getTaxRate = operation({
  subject: 'orders.tax-rate.get',
  summary: 'Get a tax rate',
  http: { method: 'GET', path: '/v1/tax-rates/{id}', status: 200, ...scopes },
  request: z.object({ id: Id }),
  reply: TaxRate,
  errors: [ResourceNotFound],
})

export const listTaxRates = operation({
  subject: 'orders.tax-rate.list',
  summary: 'List tax rates',
  http: { method: 'GET', path: '/v1/tax-rates/', status: 200, ...scopes },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    country: oneOrMany(Country),
    sorting: sorting(['country', 'created_at'], 'country'),
  }),
  reply: ListReply(TaxRate),
  errors: [],
})

export const updateTaxRate = operation({
  subject: 'orders.tax-rate.update',
  summary: 'Change a tax rate; existing orders keep the rate they were placed with',
  http: { method: 'PATCH', path: '/v1/tax-rates/{id}', status: 200, ...writeScopes },
  request: z.object({ id: Id, name: name.nullish(), percentage: percentage.nullish(), reverse_charge: z.boolean().nullish() }),
  reply: TaxRate,
  errors: [ResourceNotFound],
})

export const deleteTaxRate = operation({
  subject: 'orders.tax-rate.delete',
  summary: 'Delete a tax rate; existing orders keep it',
  http: { method: 'DELETE', path: '/v1/tax-rates/{id}', status: 204, ...writeScopes },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})
