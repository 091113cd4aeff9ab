import type { Closer } from '@quittance/runtime/shutdown'
import { createConverter } from './converter.ts'

/** The one converter of this process. */
export const converter = createConverter()

/** Its thread begins with the first document, and ends with the service. */
export async function openConverter(): Promise<Closer> {
  return { name: 'converter', close: () => converter.close() }
}
