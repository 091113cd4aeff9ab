import type { Closeable } from '@quittance/runtime/shutdown'
import { createConverter } from './converter.ts'

/** Converter of this process. */
export const converter = createConverter()

/** Opens the converter until shutdown. Its thread starts with the first document. */
export async function startConverter(): Promise<Closeable> {
  converter.open()
  return { name: 'converter', close: () => converter.close() }
}
