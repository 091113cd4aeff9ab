import type { Rows } from '@quittance/runtime/handler'

export interface NewDocument {
  invoiceId: string
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
  insert into invoice_documents (invoice_id, content, sha256, size, created_at) values (:id, :content, :hash, :size, :now)`

const findFacts = `
  select i.number, d.sha256, d.size from invoice_documents d join invoices i on i.id = d.invoice_id where d.invoice_id = :id`

const findContent = `select content from invoice_documents where invoice_id = :id`

/** Keeps the bytes for ever. A second document for the same invoice fails. */
export async function storeDocument(rows: Rows, { invoiceId, content, sha256, now }: NewDocument): Promise<void> {
  await rows('document.store', insert, { id: invoiceId, content: Buffer.from(content), hash: sha256, size: content.length, now })
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
