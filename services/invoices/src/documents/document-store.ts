import type { Rows } from '@quittance/runtime/handler'

export interface NewDocument {
  invoiceId: string
  /** The try that made it. */
  attempts: number
  content: Uint8Array
  sha256: string
  now: Date
}

export interface DocumentFacts {
  number: string
  sha256: string
  size: number
}

const insert = `
  insert into invoice_documents (invoice_id, content, sha256, size, created_at)
  select id, :content, :hash, :size, :now::timestamptz from invoices where id = :id and status = 'requested' and attempts = :attempts for update
  returning invoice_id`

const findFacts = `
  select i.number, d.sha256, d.size from invoice_documents d join invoices i on i.id = d.invoice_id where d.invoice_id = :id`

const findContent = `select content from invoice_documents where invoice_id = :id`

/**
 * Keeps the bytes for ever, and the invoice locked until the transaction ends. False for a try that lost its lease, or an invoice that is settled:
 * its result must be thrown away.
 */
export async function storeDocument(rows: Rows, { invoiceId, attempts, content, sha256, now }: NewDocument): Promise<boolean> {
  const values = {
    id: invoiceId,
    attempts,
    content: Buffer.from(content.buffer, content.byteOffset, content.length),
    hash: sha256,
    size: content.length,
    now,
  }
  return (await rows('document.store', insert, values)).length > 0
}

/** All but the bytes: enough for HEAD and for a client that has them. */
export async function readDocumentFacts(rows: Rows, invoiceId: string): Promise<DocumentFacts | null> {
  const [facts] = await rows<DocumentFacts>('document.facts', findFacts, { id: invoiceId })
  return facts ?? null
}

export async function readDocumentContent(rows: Rows, invoiceId: string): Promise<Buffer> {
  const [row] = await rows<{ content: Buffer }>('document.content', findContent, { id: invoiceId })
  return row?.content ?? Buffer.alloc(0)
}
