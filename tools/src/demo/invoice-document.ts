import { createHash } from 'node:crypto'
import { extractText, getDocumentProxy } from 'unpdf'
import type { ApiClient } from '../api-client.ts'

export interface InvoiceDocument {
  number: string
  bytes: Uint8Array
  sha256: string
}

/** Requests a link and downloads it as a browser does: without a token. */
export async function downloadInvoice(api: ApiClient, orderId: string): Promise<InvoiceDocument> {
  const { url } = await api.send<{ url: string }>('GET', { path: `/v1/orders/${orderId}/invoice`, expect: 200 })
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (response.status !== 200) throw new Error(`the link returned ${response.status}: ${(await response.text()).slice(0, 300)}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const [, number] = /filename="Invoice-(.+?)\.pdf"/i.exec(response.headers.get('content-disposition') ?? '') ?? []
  if (!number) throw new Error('the document has no file name')
  return { number, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Throws if one of the texts is not printed. */
export async function expectTexts(bytes: Uint8Array, wanted: readonly string[]): Promise<void> {
  // The PDF reader takes ownership of the bytes.
  const { text } = await extractText(await getDocumentProxy(bytes.slice()), { mergePages: true })
  const printed = text.replaceAll(/\s+/g, ' ')
  const missing = wanted.filter((each) => !printed.includes(each))
  if (missing.length)
    throw new Error(`the document does not contain ${missing.map((each) => `"${each}"`).join(', ')}; it contains: ${printed}`)
}

export function dollars(minorUnits: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(minorUnits / 100)
}
