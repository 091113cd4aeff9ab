import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { Id } from './identifiers.ts'
import { operation } from './operation.ts'

/** What is wrong with one document of a series. */
export const InvoiceSeriesFault = z
  .object({
    invoice_number: z.string(),
    fault: z.enum([
      'missing link',
      'changed link',
      'missing document',
      'changed number',
      'changed contents',
      'changed bytes',
      'not linked',
    ]),
    detail: z.string(),
  })
  .meta({ id: 'InvoiceSeriesFault' })

/** One section of a hash chain, compared with its documents. */
export const InvoiceSeriesAudit = z
  .object({
    organization_id: Id,
    prefix: z.string(),
    chain: z.enum(['issued', 'stored']),
    links: z.int().describe('Links compared; at most 200.'),
    faults: z.array(InvoiceSeriesFault).describe('Empty if every document matches its link.'),
    head: z.string().describe('Digest of the last link; it covers all links before it. 64 zeros if there is no link.'),
    next: z.string().nullable().describe('`after` for the next section; null at the end.'),
  })
  .meta({ id: 'InvoiceSeriesAudit' })
export type InvoiceSeriesAudit = z.infer<typeof InvoiceSeriesAudit>

export const auditInvoiceSeries = operation({
  subject: 'invoices.series.audit',
  summary: 'Verify the hash chain of a series: whether its documents match what was issued and stored',
  http: { method: 'GET', path: '/v1/invoices/series/audit', status: 200, scopes: ['orders:read'], callers: ['organization', 'user'] },
  request: z.object({
    prefix: z.string().min(1).max(50).describe('Prefix as returned by the list of series.'),
    organization_id: Id.nullish(),
    chain: z.enum(['issued', 'stored']).default('issued').describe('`issued`: numbers and contents; `stored`: bytes.'),
    after: z
      .string()
      .regex(/^\d{1,18}$/)
      .nullish()
      .describe('`next` of the previous section.'),
  }),
  reply: InvoiceSeriesAudit,
  errors: [ResourceNotFound],
})
