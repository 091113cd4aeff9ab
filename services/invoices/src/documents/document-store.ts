import type { ScopedSql, SystemSql } from '@quittance/sql/sql-runner'
import type { DocumentKind } from '../series/number-format.ts'

export interface NewDocument {
  invoiceId: string
  /** Number of the attempt that rendered the document. */
  attempts: number
  content: Uint8Array
  sha256: string
  now: Date
}

export interface StoredDocument {
  kind: DocumentKind
  number: string
  sha256: string
  size: number
}

const insert = `
  insert into invoice_documents (invoice_id, content, sha256, size, created_at)
  select id, :content, :hash, :size, :now::timestamptz from invoices
  where id = :id and organization_id = any (:scope_organizations) and status = 'requested' and attempts = :attempts for update
  returning invoice_id`

const selectMetadata = `
  select i.kind, i.number, d.sha256, d.size from invoice_documents d join invoices i on i.id = d.invoice_id where d.invoice_id = :id`

const selectContent = `select content from invoice_documents where invoice_id = :id`

/**
 * Stores the bytes permanently and locks the invoice until the transaction ends. Returns false if the attempt lost its lease or the invoice
 * is already settled; the caller must then discard the result.
 */
export async function storeDocument(sql: ScopedSql, { invoiceId, attempts, content, sha256, now }: NewDocument): Promise<boolean> {
  const values = {
    id: invoiceId,
    attempts,
    content: Buffer.from(content.buffer, content.byteOffset, content.length),
    hash: sha256,
    size: content.length,
    now,
  }
  return (await sql('document.store', insert, values)).length > 0
}

/** Returns everything except the bytes: enough for HEAD and for a client that has the bytes cached. */
export async function readDocumentMetadata(systemSql: SystemSql, invoiceId: string): Promise<StoredDocument | null> {
  const [metadata] = await systemSql<StoredDocument>('document.metadata', selectMetadata, { id: invoiceId })
  return metadata ?? null
}

export async function readDocumentContent(systemSql: SystemSql, invoiceId: string): Promise<Buffer> {
  const [row] = await systemSql<{ content: Buffer }>('document.content', selectContent, { id: invoiceId })
  return row?.content ?? Buffer.alloc(0)
}
