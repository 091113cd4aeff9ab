import { RequestValidationError } from '@quittance/contracts/errors'
import { verifyInvoice as contract, type InvoiceVerification } from '@quittance/contracts/invoice-verification'
import { systemQuery } from '@quittance/runtime/system-handler'

const reason = 'a holder of the document verifies it by its number and its hash or id'

/** The caller must know the number and either the hash or the id, which only a holder of the document knows. */
const findWhere = (condition: string) => `
  select true as valid, i.kind, i.number as invoice_number, to_json(i.requested_at) #>> '{}' as issued_at,
    coalesce(i.printed #>> '{seller,name}', i.source #>> '{organization,name}') as seller_name, i.source ->> 'currency' as currency,
    coalesce(i.printed -> 'total', i.source -> 'total_amount')::int8::float8 as total_amount, d.sha256
  from invoices i join invoice_documents d on d.invoice_id = i.id
  where i.number = :number and ${condition}
  limit 1`

// Two statements, because no index serves a condition that may compare nothing. Numbers are unique only within a seller.
const findById = findWhere('i.id = :id::uuid and d.sha256 = coalesce(:sha256::text, d.sha256)')
const findByHash = findWhere('d.sha256 = :sha256::text')

const unknown: InvoiceVerification = {
  valid: false,
  kind: null,
  invoice_number: null,
  issued_at: null,
  seller_name: null,
  currency: null,
  total_amount: null,
  sha256: null,
}

export const verifyInvoice = systemQuery(contract, { reason }, async ({ number, sha256, id }, { systemSql }) => {
  if (!sha256 && !id) throw RequestValidationError.field(['sha256'], 'Field required unless `id` is given.', 'missing')
  const [found] = id
    ? await systemSql<InvoiceVerification>('invoice.verify-by-id', findById, { number, id, sha256: sha256 ?? null })
    : await systemSql<InvoiceVerification>('invoice.verify-by-hash', findByHash, { number, sha256 })
  return found ?? unknown
})
